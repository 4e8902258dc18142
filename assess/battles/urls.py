from django.urls import path

from assess.battles import views

# /campaigns/<slug>/battles/: two answers side by side
urlpatterns = [
    path("campaigns/<slug:slug>/judging/battles/", views.battle_setup, name="battle_setup"),
    path("campaigns/<slug:slug>/judging/battles/<int:number>/", views.battle_set, name="battle_set"),
    path(
        "campaigns/<slug:slug>/judging/battles/<int:number>/discard/",
        views.battle_discard,
        name="battle_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/battles/<int:number>/judges/<int:pk>/give/",
        views.battle_handover,
        name="battle_handover",
    ),
    path("campaigns/<slug:slug>/battles/outbox/", views.battle_outbox, name="battle_outbox"),
    path("campaigns/<slug:slug>/battles/", views.battle_list, name="battle_list"),
    path("campaigns/<slug:slug>/battles/<int:pk>/", views.battle, name="battle"),
    path(
        "campaigns/<slug:slug>/battles/<int:pk>/<slug:side>/citations/<int:place>/<int:citation>/",
        views.battle_source,
        name="battle_source",
    ),
]

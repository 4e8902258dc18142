from django.urls import path

from assess.preferences import views

# /campaigns/<slug>/preferences/: two documents side by side
urlpatterns = [
    path("campaigns/<slug:slug>/judging/preferences/", views.preference_setup, name="preference_setup"),
    path(
        "campaigns/<slug:slug>/judging/preferences/<int:number>/", views.preference_set, name="preference_set"
    ),
    path(
        "campaigns/<slug:slug>/judging/preferences/<int:number>/discard/",
        views.preference_discard,
        name="preference_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/preferences/<int:number>/judges/<int:pk>/give/",
        views.preference_handover,
        name="preference_handover",
    ),
    path("campaigns/<slug:slug>/preferences/outbox/", views.preference_outbox, name="preference_outbox"),
    path("campaigns/<slug:slug>/preferences/", views.preference_list, name="preference_list"),
    path("campaigns/<slug:slug>/preferences/<int:pk>/", views.preference, name="preference"),
]

from django.urls import path

from assess.support import views

# /campaigns/<slug>/support/: citations of answers
urlpatterns = [
    path("campaigns/<slug:slug>/judging/support/", views.support_setup, name="support_setup"),
    path("campaigns/<slug:slug>/judging/support/<int:number>/", views.support_set, name="support_set"),
    path(
        "campaigns/<slug:slug>/judging/support/<int:number>/discard/",
        views.support_discard,
        name="support_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/support/<int:number>/judges/<int:pk>/give/",
        views.support_handover,
        name="support_handover",
    ),
    path("campaigns/<slug:slug>/support/outbox/", views.support_outbox, name="support_outbox"),
    path("campaigns/<slug:slug>/support/", views.support_list, name="support_list"),
    path("campaigns/<slug:slug>/support/<int:pk>/", views.support, name="support"),
]

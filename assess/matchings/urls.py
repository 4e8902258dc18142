from django.urls import path

from assess.matchings import views

# /campaigns/<slug>/matchings/: nuggets of answers
urlpatterns = [
    path("campaigns/<slug:slug>/judging/matchings/", views.matching_setup, name="matching_setup"),
    path("campaigns/<slug:slug>/judging/matchings/<int:number>/", views.matching_set, name="matching_set"),
    path(
        "campaigns/<slug:slug>/judging/matchings/<int:number>/discard/",
        views.matching_discard,
        name="matching_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/matchings/<int:number>/differences/",
        views.matching_differences,
        name="matching_differences",
    ),
    path(
        "campaigns/<slug:slug>/judging/matchings/<int:number>/judges/<int:pk>/give/",
        views.matching_handover,
        name="matching_handover",
    ),
    path("campaigns/<slug:slug>/matchings/outbox/", views.matching_outbox, name="matching_outbox"),
    path("campaigns/<slug:slug>/matchings/", views.matching_list, name="matching_list"),
    path("campaigns/<slug:slug>/matchings/<int:pk>/", views.matching, name="matching"),
]

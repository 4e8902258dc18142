from django.urls import path

from assess.gradings import views

# /campaigns/<slug>/gradings/: grades of whole answers
urlpatterns = [
    path("campaigns/<slug:slug>/judging/gradings/", views.grading_setup, name="grading_setup"),
    path("campaigns/<slug:slug>/judging/gradings/<int:number>/", views.grading_set, name="grading_set"),
    path(
        "campaigns/<slug:slug>/judging/gradings/<int:number>/discard/",
        views.grading_discard,
        name="grading_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/gradings/<int:number>/judges/<int:pk>/give/",
        views.grading_handover,
        name="grading_handover",
    ),
    path("campaigns/<slug:slug>/gradings/outbox/", views.grading_outbox, name="grading_outbox"),
    path("campaigns/<slug:slug>/gradings/", views.grading_list, name="grading_list"),
    path("campaigns/<slug:slug>/gradings/<int:pk>/", views.grading, name="grading"),
    path(
        "campaigns/<slug:slug>/gradings/<int:pk>/citations/<int:place>/<int:citation>/",
        views.grading_source,
        name="grading_source",
    ),
]

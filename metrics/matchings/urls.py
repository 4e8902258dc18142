from django.urls import path

from metrics.matchings import views

# /campaigns/<slug>/scores/matchings/: nuggets of answers
urlpatterns = [
    path("campaigns/<slug:slug>/scores/matchings/", views.matching_result_list, name="matching_result_list"),
    path(
        "campaigns/<slug:slug>/scores/matchings/<int:number>/", views.matching_result, name="matching_result"
    ),
    path(
        "campaigns/<slug:slug>/scores/matchings/<int:number>/assignments/",
        views.matching_assignments_file,
        name="matching_assignments_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/matchings/<int:number>/scores/",
        views.matching_scores_file,
        name="matching_scores_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/matchings/<int:number>/labels/",
        views.matching_labels_file,
        name="matching_labels_file",
    ),
]

from django.urls import path

from metrics.near_duplicates import views

# /campaigns/<slug>/scores/<number>/near-duplicates/
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/<int:number>/near-duplicates/",
        views.near_duplicate_scores,
        name="near_duplicate_scores",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/near-duplicates/csv/",
        views.near_duplicate_scores_csv,
        name="near_duplicate_scores_csv",
    ),
]

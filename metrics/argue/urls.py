from django.urls import path

from metrics.argue import views

# /campaigns/<slug>/scores/matchings/<number>/argue/: a matching with a set of citations
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/matchings/<int:number>/argue/", views.argue_result, name="argue_result"
    ),
    path(
        "campaigns/<slug:slug>/scores/matchings/<int:number>/argue/file/",
        views.argue_scores_file,
        name="argue_scores_file",
    ),
]

from django.urls import path

from metrics.reproducibility import views

# /campaigns/<slug>/scores/<number>/compare/reproducibility/: a run against the one that it reproduces
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/<int:number>/compare/reproducibility/",
        views.reproducibility,
        name="reproducibility",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/compare/reproducibility/tsv/",
        views.reproducibility_file,
        name="reproducibility_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/compare/reproducibility/topics/tsv/",
        views.reproducibility_topics_file,
        name="reproducibility_topics_file",
    ),
]

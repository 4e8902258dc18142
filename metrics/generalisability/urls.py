from django.urls import path

from metrics.generalisability import views

# /campaigns/<slug>/scores/<number>/significance/generalisability/: how many topics a stable order needs
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/<int:number>/significance/generalisability/",
        views.generalisability,
        name="generalisability",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/significance/generalisability/tsv/",
        views.generalisability_file,
        name="generalisability_file",
    ),
]

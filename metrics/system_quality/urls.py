from django.urls import path

from metrics.system_quality import views

# /campaigns/<slug>/scores/system-quality/: what runs cost, beside their scores
urlpatterns = [
    path("campaigns/<slug:slug>/scores/system-quality/", views.system_quality, name="system_quality"),
    path(
        "campaigns/<slug:slug>/scores/system-quality/tsv/",
        views.system_quality_file,
        name="system_quality_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/system-quality/runs/<str:tag>/remove/",
        views.system_quality_remove,
        name="system_quality_remove",
    ),
]

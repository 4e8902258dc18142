from django.urls import path

from metrics.magnitudes import views

# /campaigns/<slug>/scores/magnitudes/: gains by magnitudes of judges
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/magnitudes/", views.magnitude_result_list, name="magnitude_result_list"
    ),
    path(
        "campaigns/<slug:slug>/scores/magnitudes/<int:number>/",
        views.magnitude_result,
        name="magnitude_result",
    ),
    path(
        "campaigns/<slug:slug>/scores/magnitudes/<int:number>/qrels/",
        views.magnitude_qrels,
        name="magnitude_qrels",
    ),
    path(
        "campaigns/<slug:slug>/scores/magnitudes/<int:number>/gains/",
        views.magnitude_gains_file,
        name="magnitude_gains_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/magnitudes/<int:number>/numbers/",
        views.magnitude_numbers_file,
        name="magnitude_numbers_file",
    ),
]

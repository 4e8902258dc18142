from django.urls import path

from metrics.gradings import views

# /campaigns/<slug>/scores/gradings/: grades of whole answers
urlpatterns = [
    path("campaigns/<slug:slug>/scores/gradings/", views.grading_result_list, name="grading_result_list"),
    path("campaigns/<slug:slug>/scores/gradings/<int:number>/", views.grading_result, name="grading_result"),
    path(
        "campaigns/<slug:slug>/scores/gradings/<int:number>/grades/",
        views.grading_grades_file,
        name="grading_grades_file",
    ),
]

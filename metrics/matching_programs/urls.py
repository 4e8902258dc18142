from django.urls import path

from metrics.matching_programs import views

# /campaigns/<slug>/scores/matching-programs/: programs beside people on the same nuggets and answers
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/matching-programs/",
        views.matching_program_result_list,
        name="matching_program_result_list",
    ),
    path(
        "campaigns/<slug:slug>/scores/matching-programs/<int:number>/",
        views.matching_program_result,
        name="matching_program_result",
    ),
]

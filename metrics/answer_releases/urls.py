from django.urls import path

from metrics.answer_releases import views

# /campaigns/<slug>/scores/answer-releases/: releases of labels of answers
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/answer-releases/",
        views.answer_release_list,
        name="answer_release_list",
    ),
    path(
        "campaigns/<slug:slug>/scores/answer-releases/<int:pk>/",
        views.answer_release_file,
        name="answer_release_file",
    ),
]

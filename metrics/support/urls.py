from django.urls import path

from metrics.support import views

# /campaigns/<slug>/scores/support/: citations of answers
urlpatterns = [
    path("campaigns/<slug:slug>/scores/support/", views.support_result_list, name="support_result_list"),
    path("campaigns/<slug:slug>/scores/support/<int:number>/", views.support_result, name="support_result"),
    path(
        "campaigns/<slug:slug>/scores/support/<int:number>/scores/",
        views.support_scores_file,
        name="support_scores_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/support/<int:number>/labels/",
        views.support_labels_file,
        name="support_labels_file",
    ),
]

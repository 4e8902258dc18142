from django.urls import path

from metrics.preferences import views

# /campaigns/<slug>/scores/preferences/: the best documents by preferences of judges
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/preferences/",
        views.preference_result_list,
        name="preference_result_list",
    ),
    path(
        "campaigns/<slug:slug>/scores/preferences/<int:number>/",
        views.preference_result,
        name="preference_result",
    ),
    path(
        "campaigns/<slug:slug>/scores/preferences/<int:number>/qrels/",
        views.preference_qrels,
        name="preference_qrels",
    ),
    path(
        "campaigns/<slug:slug>/scores/preferences/<int:number>/votes/",
        views.preference_votes_file,
        name="preference_votes_file",
    ),
]

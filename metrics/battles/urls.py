from django.urls import path

from metrics.battles import views

# /campaigns/<slug>/scores/battles/: what judges said of answers side by side
urlpatterns = [
    path("campaigns/<slug:slug>/scores/battles/", views.battle_result_list, name="battle_result_list"),
    path("campaigns/<slug:slug>/scores/battles/<int:number>/", views.battle_result, name="battle_result"),
    path(
        "campaigns/<slug:slug>/scores/battles/<int:number>/tsv/",
        views.battle_result_tsv,
        name="battle_result_tsv",
    ),
    path(
        "campaigns/<slug:slug>/scores/battles/<int:number>/json/",
        views.battle_result_json,
        name="battle_result_json",
    ),
    path(
        "campaigns/<slug:slug>/scores/battles/<int:number>/release/",
        views.battle_release,
        name="battle_release",
    ),
    path(
        "campaigns/<slug:slug>/scores/battles/<int:number>/releases/<int:version>/",
        views.battle_release_file,
        name="battle_release_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/battles/<int:number>/votes/tsv/",
        views.battle_votes_tsv,
        name="battle_votes_tsv",
    ),
    path(
        "campaigns/<slug:slug>/scores/battles/<int:number>/votes/json/",
        views.battle_votes_json,
        name="battle_votes_json",
    ),
]

from django.urls import path

from metrics.battle_programs import views

# /campaigns/<slug>/scores/battle-programs/: programs beside people on the same battles
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/battle-programs/",
        views.battle_program_result_list,
        name="battle_program_result_list",
    ),
    path(
        "campaigns/<slug:slug>/scores/battle-programs/<int:number>/",
        views.battle_program_result,
        name="battle_program_result",
    ),
]

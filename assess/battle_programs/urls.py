from django.urls import path

from assess.battle_programs import views

# /campaigns/<slug>/sources/battle-programs/: programs that compare the answers of battles
urlpatterns = [
    path(
        "campaigns/<slug:slug>/sources/battle-programs/",
        views.battle_program_list,
        name="battle_program_list",
    ),
    path(
        "campaigns/<slug:slug>/sources/battle-programs/<int:number>/",
        views.battle_program,
        name="battle_program",
    ),
    path(
        "campaigns/<slug:slug>/sources/battle-programs/<int:number>/requests/",
        views.battle_program_requests,
        name="battle_program_requests",
    ),
    path(
        "campaigns/<slug:slug>/sources/battle-programs/<int:number>/loads/<int:pk>/withdraw/",
        views.battle_program_withdraw,
        name="battle_program_withdraw",
    ),
]

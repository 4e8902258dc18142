from django.urls import path

from assess.matching_programs import views

# /campaigns/<slug>/sources/matching-programs/: programs that match nuggets with answers
urlpatterns = [
    path(
        "campaigns/<slug:slug>/sources/matching-programs/",
        views.matching_program_list,
        name="matching_program_list",
    ),
    path(
        "campaigns/<slug:slug>/sources/matching-programs/<int:number>/",
        views.matching_program,
        name="matching_program",
    ),
    path(
        "campaigns/<slug:slug>/sources/matching-programs/<int:number>/requests/",
        views.matching_program_requests,
        name="matching_program_requests",
    ),
    path(
        "campaigns/<slug:slug>/sources/matching-programs/<int:number>/loads/<int:pk>/withdraw/",
        views.matching_program_withdraw,
        name="matching_program_withdraw",
    ),
]

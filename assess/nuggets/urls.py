from django.urls import path

from assess.nuggets.views import banks, marks, own

# /campaigns/<slug>/judging/nuggets/: versions of the nugget bank
urlpatterns = [
    path("campaigns/<slug:slug>/judging/nuggets/", banks.nugget_bank_list, name="nugget_bank_list"),
    path("campaigns/<slug:slug>/judging/nuggets/<int:number>/", banks.nugget_bank, name="nugget_bank"),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/file/",
        banks.nugget_bank_file,
        name="nugget_bank_file",
    ),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/marks/",
        marks.nugget_bank_marks,
        name="nugget_bank_marks",
    ),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/freeze/",
        banks.nugget_bank_freeze,
        name="nugget_bank_freeze",
    ),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/discard/",
        banks.nugget_bank_discard,
        name="nugget_bank_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/loads/<int:pk>/withdraw/",
        banks.nugget_load_withdraw,
        name="nugget_load_withdraw",
    ),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/topics/<topic:topic>/",
        banks.nugget_topic,
        name="nugget_topic",
    ),
    path("campaigns/<slug:slug>/judging/nuggets/<int:number>/nuggets/<int:pk>/", banks.nugget, name="nugget"),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/nuggets/<int:pk>/vote/",
        banks.nugget_vote,
        name="nugget_vote",
    ),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/nuggets/<int:pk>/join/",
        banks.nugget_join,
        name="nugget_join",
    ),
    path(
        "campaigns/<slug:slug>/judging/nuggets/<int:number>/nuggets/<int:pk>/delete/",
        banks.nugget_delete,
        name="nugget_delete",
    ),
    # /campaigns/<slug>/nuggets/: where judges write nuggets
    path("campaigns/<slug:slug>/nuggets/", own.own_nugget_list, name="own_nugget_list"),
    path(
        "campaigns/<slug:slug>/nuggets/topics/<topic:topic>/",
        own.own_nugget_topic,
        name="own_nugget_topic",
    ),
    path(
        "campaigns/<slug:slug>/nuggets/topics/<topic:topic>/answers/",
        own.own_nugget_answers,
        name="own_nugget_answers",
    ),
    path(
        "campaigns/<slug:slug>/nuggets/marks/<int:pk>/delete/",
        own.own_nugget_mark_delete,
        name="own_nugget_mark_delete",
    ),
    path(
        "campaigns/<slug:slug>/nuggets/<int:pk>/delete/",
        own.own_nugget_delete,
        name="own_nugget_delete",
    ),
]

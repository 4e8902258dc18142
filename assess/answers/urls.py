from django.urls import path

from assess.answers import views

# /campaigns/<slug>/answer-runs/: generated answers with citations
urlpatterns = [
    path("campaigns/<slug:slug>/answer-runs/", views.answer_run_list, name="answer_run_list"),
    path("campaigns/<slug:slug>/answer-runs/rules/", views.answer_rules, name="answer_rules"),
    path("campaigns/<slug:slug>/answer-runs/missing/", views.cited_missing, name="cited_missing"),
    path("campaigns/<slug:slug>/answer-runs/<int:pk>/", views.answer_run, name="answer_run"),
    path("campaigns/<slug:slug>/answer-runs/<int:pk>/file/", views.answer_run_file, name="answer_run_file"),
    path(
        "campaigns/<slug:slug>/answer-runs/<int:pk>/receipt/",
        views.answer_run_receipt,
        name="answer_run_receipt",
    ),
    path(
        "campaigns/<slug:slug>/answer-runs/<int:pk>/withdraw/",
        views.answer_run_withdraw,
        name="answer_run_withdraw",
    ),
    path("campaigns/<slug:slug>/answer-runs/<int:pk>/topics/<topic:number>/", views.answer, name="answer"),
    path(
        "campaigns/<slug:slug>/answer-runs/<int:pk>/topics/<topic:number>/citations/<int:place>/<int:citation>/",
        views.cited_passage,
        name="cited_passage",
    ),
]

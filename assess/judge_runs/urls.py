from django.urls import path

from assess.judge_runs import views

# /campaigns/<slug>/judge-runs/: files of participants in which a program judged the pooled documents
urlpatterns = [
    path("campaigns/<slug:slug>/judge-runs/", views.judge_run_list, name="judge_run_list"),
    path("campaigns/<slug:slug>/judge-runs/pool/", views.judge_run_pool, name="judge_run_pool"),
    path("campaigns/<slug:slug>/judge-runs/<int:pk>/file/", views.judge_run_file, name="judge_run_file"),
    path(
        "campaigns/<slug:slug>/judge-runs/<int:pk>/withdraw/",
        views.judge_run_withdraw,
        name="judge_run_withdraw",
    ),
]

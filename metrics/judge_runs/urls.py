from django.urls import path

from metrics.judge_runs import views

# /campaigns/<slug>/scores/<number>/judge-runs/
urlpatterns = [
    path("campaigns/<slug:slug>/scores/<int:number>/judge-runs/", views.judge_runs, name="judge_runs"),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/judge-runs/csv/",
        views.judge_runs_csv,
        name="judge_runs_csv",
    ),
]

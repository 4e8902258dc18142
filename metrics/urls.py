from django.urls import path

from metrics import views

app_name = "metrics"

# /campaigns/<slug>/scores/
score_urls = [
    path("campaigns/<slug:slug>/scores/", views.scores, name="scores"),
    path("campaigns/<slug:slug>/scores/<int:number>/", views.leaderboard, name="leaderboard"),
    path("campaigns/<slug:slug>/scores/<int:number>/csv/", views.leaderboard_csv, name="leaderboard_csv"),
    path("campaigns/<slug:slug>/scores/<int:number>/topics/", views.topics_tsv, name="topics_tsv"),
    path("campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/", views.run_scores, name="run_scores"),
]

# /campaigns/<slug>/pool/quality/
quality_urls = [path("campaigns/<slug:slug>/pool/quality/", views.quality, name="quality")]

urlpatterns = [*score_urls, *quality_urls]

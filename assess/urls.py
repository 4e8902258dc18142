from django.urls import path

from assess import views

app_name = "assess"

# /campaigns/<slug>/
campaign_urls = [
    path("campaigns/<slug:slug>/", views.overview, name="overview"),
    path("campaigns/<slug:slug>/progress/", views.progress, name="progress"),
    path("campaigns/<slug:slug>/settings/", views.settings, name="settings"),
]

# /campaigns/<slug>/judging/: the organiser's side
judging_urls = [
    path("campaigns/<slug:slug>/judging/", views.judging, name="judging"),
    path("campaigns/<slug:slug>/pool/top-up/", views.top_up, name="top_up"),
    path("campaigns/<slug:slug>/judging/load/", views.judgments_load, name="judgments_load"),
]

# /campaigns/<slug>/judge/: the judge's side
judge_urls = [
    path("campaigns/<slug:slug>/judge/", views.my_topics, name="my_topics"),
    path("campaigns/<slug:slug>/judge/topics/<str:number>/", views.judge, name="judge"),
    path("campaigns/<slug:slug>/judge/<int:pk>/", views.judgment_card, name="judgment_card"),
]

# /campaigns/<slug>/agreement/
agreement_urls = [
    path("campaigns/<slug:slug>/agreement/", views.agreement, name="agreement"),
    path("campaigns/<slug:slug>/agreement/labels/", views.labels, name="labels"),
]

# /campaigns/<slug>/qrels/
qrels_urls = [
    path("campaigns/<slug:slug>/qrels/", views.release_list, name="release_list"),
    path("campaigns/<slug:slug>/qrels/<int:number>/file/", views.qrels_file, name="qrels_file"),
    path("campaigns/<slug:slug>/qrels/<int:number>/manifest/", views.qrels_manifest, name="qrels_manifest"),
]

urlpatterns = [*campaign_urls, *judging_urls, *judge_urls, *agreement_urls, *qrels_urls]

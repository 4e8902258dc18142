from django.urls import path

from metrics import views

app_name = "metrics"

# /campaigns/<slug>/scores/
score_urls = [
    path("campaigns/<slug:slug>/scores/", views.scores, name="scores"),
    path("campaigns/<slug:slug>/scores/<int:number>/", views.leaderboard, name="leaderboard"),
    path("campaigns/<slug:slug>/scores/<int:number>/csv/", views.leaderboard_csv, name="leaderboard_csv"),
    path("campaigns/<slug:slug>/scores/<int:number>/scoring/", views.scoring, name="scoring"),
]

# /campaigns/<slug>/scores/<number>/topics/
topic_urls = [
    path("campaigns/<slug:slug>/scores/<int:number>/topics/", views.topic_scores, name="topic_scores"),
    path("campaigns/<slug:slug>/scores/<int:number>/topics/tsv/", views.topics_tsv, name="topics_tsv"),
]

# /campaigns/<slug>/scores/<number>/runs/<tag>/
run_urls = [
    path("campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/", views.run_scores, name="run_scores"),
    path("campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/ties/", views.ties, name="ties"),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/topics/<str:topic>/",
        views.run_topic,
        name="run_topic",
    ),
]

# /campaigns/<slug>/downloads/
download_urls = [
    path("campaigns/<slug:slug>/downloads/<int:number>/", views.downloads, name="downloads"),
    path("campaigns/<slug:slug>/downloads/<int:number>/topics/", views.topics_file, name="topics_file"),
    path(
        "campaigns/<slug:slug>/downloads/<int:number>/scores/<slug:form>/",
        views.scores_file,
        name="scores_file",
    ),
    path("campaigns/<slug:slug>/downloads/<int:number>/collection/", views.collection, name="collection"),
    path(
        "campaigns/<slug:slug>/downloads/<int:number>/collection/sha256/",
        views.collection_sum,
        name="collection_sum",
    ),
]

# /public/: for everybody
public_urls = [
    path("public/", views.public_list, name="public_list"),
    path("public/<slug:slug>/", views.public, name="public"),
    path("public/<slug:slug>/<int:number>/", views.public_release, name="public_release"),
    path("public/<slug:slug>/<int:number>/files/<slug:kind>/", views.public_file, name="public_file"),
    path("public/<slug:slug>/<int:number>/manifest/", views.public_manifest, name="public_manifest"),
    path("public/<slug:slug>/<int:number>/topics/", views.public_topics, name="public_topics"),
    path("public/<slug:slug>/<int:number>/scores/<slug:form>/", views.public_scores, name="public_scores"),
    path("public/<slug:slug>/<int:number>/collection/", views.public_collection, name="public_collection"),
    path(
        "public/<slug:slug>/<int:number>/collection/sha256/",
        views.public_collection_sum,
        name="public_collection_sum",
    ),
]

# /campaigns/<slug>/scores/<number>/: runs, and measures, against each other
comparison_urls = [
    path("campaigns/<slug:slug>/scores/<int:number>/compare/", views.compare, name="compare"),
    path("campaigns/<slug:slug>/scores/<int:number>/compare/tests/", views.other_tests, name="other_tests"),
    path("campaigns/<slug:slug>/scores/<int:number>/significance/", views.significance, name="significance"),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/significance/randomised/",
        views.randomised_groups,
        name="randomised_groups",
    ),
    path("campaigns/<slug:slug>/scores/<int:number>/significance/csv/", views.groups_csv, name="groups_csv"),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/measures/",
        views.measure_agreement,
        name="measure_agreement",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/measures/csv/",
        views.measure_agreement_csv,
        name="measure_agreement_csv",
    ),
]

# /campaigns/<slug>/scores/panels/<pk>/: what judges said of two runs side by side
panel_urls = [
    path("campaigns/<slug:slug>/scores/panels/<int:pk>/", views.panel_result, name="panel_result"),
]

# /measures/: what each measure is, for every campaign
measure_urls = [
    path("measures/", views.measure_list, name="measure_list"),
    path("measures/<str:name>/", views.measure, name="measure"),
]

# /campaigns/<slug>/pool/quality/
quality_urls = [
    path("campaigns/<slug:slug>/pool/quality/", views.quality, name="quality"),
    path("campaigns/<slug:slug>/pool/quality/report/", views.quality_report, name="quality_report"),
    path("campaigns/<slug:slug>/pool/quality/saturation/", views.saturation, name="saturation"),
]

# /campaigns/<slug>/agreement/swap/
swap_urls = [
    path("campaigns/<slug:slug>/agreement/swap/", views.judge_swap_page, name="judge_swap"),
    path("campaigns/<slug:slug>/agreement/swap/draws/", views.swap_draws, name="swap_draws"),
    path("campaigns/<slug:slug>/agreement/swap/ceiling/", views.human_ceiling, name="human_ceiling"),
]

urlpatterns = [
    *score_urls,
    *topic_urls,
    *run_urls,
    *download_urls,
    *public_urls,
    *quality_urls,
    *swap_urls,
    *comparison_urls,
    *panel_urls,
    *measure_urls,
]

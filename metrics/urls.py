from django.urls import path

from metrics.ab_tests import urls as ab_tests
from metrics.answer_releases import urls as answer_releases
from metrics.argue import urls as argue
from metrics.battle_programs import urls as battle_programs
from metrics.battles import urls as battles
from metrics.confusion import urls as confusion
from metrics.generalisability import urls as generalisability
from metrics.gradings import urls as gradings
from metrics.interleaving import urls as interleaving
from metrics.judge_runs import urls as judge_runs
from metrics.machine_audits import urls as machine_audits
from metrics.magnitudes import urls as magnitudes
from metrics.matching_programs import urls as matching_programs
from metrics.matchings import urls as matchings
from metrics.near_duplicates import urls as near_duplicates
from metrics.panels import urls as panels
from metrics.preferences import urls as preferences
from metrics.pyramids import urls as pyramids
from metrics.reproducibility import urls as reproducibility
from metrics.snippets import urls as snippets
from metrics.support import urls as support
from metrics.system_quality import urls as system_quality
from metrics.views import (
    comparisons,
    downloads,
    judge_swap,
    leaderboard,
    measures,
    public,
    quality,
    runs,
    steps,
    topics,
)

app_name = "metrics"

# /campaigns/<slug>/scores/
score_urls = [
    path("campaigns/<slug:slug>/scores/", leaderboard.scores, name="scores"),
    path("campaigns/<slug:slug>/scores/<int:number>/", leaderboard.leaderboard, name="leaderboard"),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/csv/", leaderboard.leaderboard_csv, name="leaderboard_csv"
    ),
    path("campaigns/<slug:slug>/scores/<int:number>/scoring/", leaderboard.scoring, name="scoring"),
]

# /campaigns/<slug>/scores/<number>/topics/
topic_urls = [
    path("campaigns/<slug:slug>/scores/<int:number>/topics/", topics.topic_scores, name="topic_scores"),
    path("campaigns/<slug:slug>/scores/<int:number>/topics/tsv/", leaderboard.topics_tsv, name="topics_tsv"),
]

# /campaigns/<slug>/scores/<number>/runs/<tag>/
run_urls = [
    path("campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/", runs.run_scores, name="run_scores"),
    path("campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/ties/", runs.ties, name="ties"),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/statistics/csv/",
        runs.topic_statistics_csv,
        name="topic_statistics_csv",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/topics/<str:topic>/",
        runs.run_topic,
        name="run_topic",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/runs/<str:tag>/topics/<str:topic>/measure/",
        steps.topic_measure,
        name="topic_measure",
    ),
]

# /campaigns/<slug>/downloads/
download_urls = [
    path("campaigns/<slug:slug>/downloads/<int:number>/", downloads.downloads, name="downloads"),
    path("campaigns/<slug:slug>/downloads/<int:number>/topics/", downloads.topics_file, name="topics_file"),
    path(
        "campaigns/<slug:slug>/downloads/<int:number>/scores/<slug:form>/",
        downloads.scores_file,
        name="scores_file",
    ),
    path("campaigns/<slug:slug>/downloads/<int:number>/collection/", downloads.collection, name="collection"),
    path(
        "campaigns/<slug:slug>/downloads/<int:number>/collection/sha256/",
        downloads.collection_sum,
        name="collection_sum",
    ),
]

# /public/: for everybody
public_urls = [
    path("public/", public.public_list, name="public_list"),
    path("public/<slug:slug>/", public.public, name="public"),
    path("public/<slug:slug>/<int:number>/", public.public_release, name="public_release"),
    path("public/<slug:slug>/<int:number>/files/<slug:kind>/", public.public_file, name="public_file"),
    path("public/<slug:slug>/<int:number>/manifest/", public.public_manifest, name="public_manifest"),
    path("public/<slug:slug>/<int:number>/topics/", public.public_topics, name="public_topics"),
    path("public/<slug:slug>/<int:number>/scores/<slug:form>/", public.public_scores, name="public_scores"),
    path("public/<slug:slug>/<int:number>/collection/", public.public_collection, name="public_collection"),
    path(
        "public/<slug:slug>/<int:number>/collection/sha256/",
        public.public_collection_sum,
        name="public_collection_sum",
    ),
]

# /campaigns/<slug>/scores/<number>/: runs, and measures, against each other
comparison_urls = [
    path("campaigns/<slug:slug>/scores/<int:number>/compare/", comparisons.compare, name="compare"),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/compare/tests/",
        comparisons.other_tests,
        name="other_tests",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/significance/",
        comparisons.significance,
        name="significance",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/significance/randomised/",
        comparisons.randomised_groups,
        name="randomised_groups",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/significance/csv/",
        comparisons.groups_csv,
        name="groups_csv",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/measures/",
        measures.measure_agreement,
        name="measure_agreement",
    ),
    path(
        "campaigns/<slug:slug>/scores/<int:number>/measures/csv/",
        measures.measure_agreement_csv,
        name="measure_agreement_csv",
    ),
]

# /measures/: what each measure is, for every campaign
measure_urls = [
    path("measures/", measures.measure_list, name="measure_list"),
    path("measures/<str:name>/", measures.measure, name="measure"),
]

# /campaigns/<slug>/pool/quality/
quality_urls = [
    path("campaigns/<slug:slug>/pool/quality/", quality.quality, name="quality"),
    path("campaigns/<slug:slug>/pool/quality/report/", quality.quality_report, name="quality_report"),
    path("campaigns/<slug:slug>/pool/quality/saturation/", quality.saturation, name="saturation"),
]

# /campaigns/<slug>/agreement/swap/
swap_urls = [
    path("campaigns/<slug:slug>/agreement/swap/", judge_swap.judge_swap_page, name="judge_swap"),
    path("campaigns/<slug:slug>/agreement/swap/draws/", judge_swap.swap_draws, name="swap_draws"),
    path("campaigns/<slug:slug>/agreement/swap/ceiling/", judge_swap.human_ceiling, name="human_ceiling"),
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
    *battles.urlpatterns,
    *battle_programs.urlpatterns,
    *preferences.urlpatterns,
    *magnitudes.urlpatterns,
    *snippets.urlpatterns,
    *gradings.urlpatterns,
    *confusion.urlpatterns,
    *generalisability.urlpatterns,
    *reproducibility.urlpatterns,
    *pyramids.urlpatterns,
    *matchings.urlpatterns,
    *support.urlpatterns,
    *argue.urlpatterns,
    *matching_programs.urlpatterns,
    *answer_releases.urlpatterns,
    *system_quality.urlpatterns,
    *interleaving.urlpatterns,
    *ab_tests.urlpatterns,
    *judge_runs.urlpatterns,
    *near_duplicates.urlpatterns,
    *machine_audits.urlpatterns,
    *panels.urlpatterns,
    *measure_urls,
]

"""The pages of the top floor, one module a noun."""

from metrics.views.agreements import measure_agreement, measure_agreement_csv
from metrics.views.boards import leaderboard, leaderboard_csv, scores, scoring, topics_tsv
from metrics.views.comparisons import compare, other_tests
from metrics.views.downloads import collection, collection_sum, downloads, scores_file, topics_file
from metrics.views.groups import groups_csv, randomised_groups, significance
from metrics.views.measures import measure, measure_list
from metrics.views.panels import panel_result
from metrics.views.public import (
    public,
    public_collection,
    public_collection_sum,
    public_file,
    public_list,
    public_manifest,
    public_release,
    public_scores,
    public_topics,
)
from metrics.views.quality import quality, quality_report, saturation
from metrics.views.runs import run_scores, run_topic, ties
from metrics.views.swaps import human_ceiling, judge_swap_page, swap_draws
from metrics.views.topics import topic_scores

__all__ = [
    "collection",
    "collection_sum",
    "compare",
    "downloads",
    "groups_csv",
    "human_ceiling",
    "judge_swap_page",
    "leaderboard",
    "leaderboard_csv",
    "measure",
    "measure_agreement",
    "measure_agreement_csv",
    "measure_list",
    "other_tests",
    "panel_result",
    "public",
    "public_collection",
    "public_collection_sum",
    "public_file",
    "public_list",
    "public_manifest",
    "public_release",
    "public_scores",
    "public_topics",
    "quality",
    "quality_report",
    "randomised_groups",
    "run_scores",
    "run_topic",
    "saturation",
    "scores",
    "scores_file",
    "scoring",
    "significance",
    "swap_draws",
    "ties",
    "topic_scores",
    "topics_file",
    "topics_tsv",
]

"""The reads of the top floor that need a name, one module a noun. They never write."""

from metrics.queries.boards import Leaderboard, Line, heads, leaderboard
from metrics.queries.collections import (
    Collection,
    archive_of,
    checksum_of,
    collection_for,
    name_of,
    pool_sentence,
    public_collection,
    score_chunks,
    topics_jsonl,
)
from metrics.queries.reports import RunReport, run_report, tie_report_of
from metrics.queries.retrieved import Retrieved, TopicReport, topic_report
from metrics.queries.scores import (
    PROFILE,
    Field,
    Progress,
    field_of,
    hits_of_runs,
    lacking,
    runs_on_board,
    scoring_job,
    scoring_progress,
)
from metrics.queries.topics import TopicLine, topic_lines

__all__ = [
    "Collection",
    "Field",
    "Leaderboard",
    "Line",
    "PROFILE",
    "Progress",
    "Retrieved",
    "RunReport",
    "TopicLine",
    "TopicReport",
    "archive_of",
    "checksum_of",
    "collection_for",
    "field_of",
    "heads",
    "hits_of_runs",
    "lacking",
    "leaderboard",
    "name_of",
    "pool_sentence",
    "public_collection",
    "run_report",
    "runs_on_board",
    "score_chunks",
    "scoring_job",
    "scoring_progress",
    "tie_report_of",
    "topic_lines",
    "topic_report",
    "topics_jsonl",
]

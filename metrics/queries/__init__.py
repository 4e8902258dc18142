"""The reads of the top floor that need a name."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import QuerySet

from accounts.models import User
from assess.models import QrelsRelease
from metrics.models import Score
from metrics.stored import StoredRun
from pooling.models import Campaign, Run, Topic
from pooling.queries import runs_seen_by, stored

PROFILE = "trec_eval-9"


def runs_without_scores(release: QrelsRelease) -> QuerySet[Run]:
    scored = Score.objects.filter(release=release, profile=PROFILE).values("run")
    return Run.objects.filter(campaign=release.campaign).exclude(pk__in=scored)


class Cell(NamedTuple):
    value: float
    best: bool


class Line(NamedTuple):
    """A run on the leaderboard, with a cell per measure."""

    run: Run
    cells: list[Cell]


class Leaderboard(NamedTuple):
    measures: list[str]
    lines: list[Line]


def leaderboard(release: QrelsRelease, user: User, campaign: Campaign, order: str = "") -> Leaderboard:
    """Return the runs that this person may see, best first on the measure `order` (else on the first)."""
    runs = {run.pk: run for run in runs_seen_by(user, campaign).annotate_pooled()}
    values: dict[int, dict[str, float]] = {}
    for row in (
        Score.objects.filter(release=release, profile=PROFILE, run__in=runs).order_by("pk").defer("by_topic")
    ):
        values.setdefault(row.run_id, {})[row.measure] = row.value
    measures = list(next(iter(values.values()), {}))
    best = {measure: max(given[measure] for given in values.values()) for measure in measures}
    first = order if order in measures else next(iter(measures), "")
    ranked = sorted(values, key=lambda pk: (-values[pk][first], runs[pk].tag))
    return Leaderboard(
        measures,
        [
            Line(runs[pk], [Cell(value, value == best[name]) for name, value in values[pk].items()])
            for pk in ranked
        ],
    )


class TopicLine(NamedTuple):
    topic: Topic
    values: list[float]


def by_topic(release: QrelsRelease, run: Run) -> tuple[list[str], list[TopicLine], list[float]]:
    """Return the measures, a line per topic in campaign order with a value per measure, and the means."""
    scores = list(Score.objects.filter(release=release, run=run, profile=PROFILE).order_by("pk"))
    topics = release.campaign.topics.filter(number__in=scores[0].by_topic) if scores else []
    lines = [TopicLine(topic, [score.by_topic[topic.number] for score in scores]) for topic in topics]
    return [score.measure for score in scores], lines, [score.value for score in scores]


def scored(run: Run) -> StoredRun:
    """Return a stored run in the scoring order of the profile."""
    columns = stored(run)
    return StoredRun(PROFILE, columns.topics, columns.offsets, columns.scored_ids)

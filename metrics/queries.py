"""The reads of the top floor that need a name."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import QuerySet

from accounts.models import User
from assess.models import QrelsRelease
from metrics.models import Score
from pooling.models import Campaign, Run
from pooling.queries import runs_seen_by

PROFILE = "trec_eval-9"


def runs_without_scores(release: QrelsRelease) -> QuerySet[Run]:
    scored = Score.objects.filter(release=release, profile=PROFILE).values("run")
    return Run.objects.filter(campaign=release.campaign).exclude(pk__in=scored)


class Line(NamedTuple):
    """A run on the leaderboard: its values in the order of the measures."""

    run: Run
    values: list[float]


class Leaderboard(NamedTuple):
    measures: list[str]
    lines: list[Line]
    best: list[float]


def leaderboard(release: QrelsRelease, user: User, campaign: Campaign, order: str = "") -> Leaderboard:
    """Return the runs that this person may see, best first on the measure `order` (the first one if unknown)."""
    seen = runs_seen_by(user, campaign).annotate_pooled()
    scores = Score.objects.filter(release=release, profile=PROFILE, run__in=seen).order_by("pk")
    measures = list(dict.fromkeys(score.measure for score in scores))
    values = {(score.run_id, score.measure): score.value for score in scores}
    lines = [Line(run, [values[run.pk, m] for m in measures]) for run in seen if (run.pk, measures[0]) in values] if measures else []
    column = measures.index(order) if order in measures else 0
    lines.sort(key=lambda line: (-line.values[column], line.run.tag))
    best = [max(line.values[place] for line in lines) for place in range(len(measures))] if lines else []
    return Leaderboard(measures, lines, best)


class TopicLine(NamedTuple):
    topic: str
    values: list[float]


def by_topic(release: QrelsRelease, run: Run) -> tuple[list[str], list[TopicLine], list[float]]:
    """Return the measures, a line per topic with a value per measure, and the means."""
    scores = list(Score.objects.filter(release=release, run=run, profile=PROFILE).order_by("pk"))
    topics = list(scores[0].by_topic) if scores else []
    lines = [TopicLine(topic, [score.by_topic[topic] for score in scores]) for topic in topics]
    return [score.measure for score in scores], lines, [score.value for score in scores]

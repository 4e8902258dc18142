"""The stored counters of progress and of documents' labels, and the same derived from events and labels."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from assess.models import Judgment, JudgmentEvent, LabelSummary, Progress, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from pooling.models import Campaign

JudgeTopicKey = tuple[int, int]
"""judge, topic: primary keys."""
TIMED = Q(kind=QueueEntry.Kind.JUDGING, active_seconds__isnull=False) & ~Q(source="import")


class ProgressCounts(NamedTuple):
    """The counters of `Progress` that can be derived."""

    labels: int = 0
    refused: int = 0
    timed: int = 0
    seconds: float = 0
    last_at: datetime | None = None

    def __str__(self) -> str:
        last = self.last_at.isoformat() if self.last_at else "never"
        return (
            f"{self.labels} labels ({self.refused} refused), {self.timed} timed: {self.seconds:.3f} s, {last}"
        )


def derived_counts(
    campaign: Campaign, judge: int | None = None, topic: int | None = None
) -> dict[JudgeTopicKey, ProgressCounts]:
    """Return the counters of all judges with an event here, or of one judge on one topic."""
    chosen = Q(pooled__pool__campaign=campaign)
    if topic is not None:
        chosen &= Q(judge=judge, pooled__topic=topic)
    labels = Judgment.objects.filter(chosen).order_by().values_list("judge", "pooled__topic")
    counted = {
        (judge, topic): (labels, refused)
        for judge, topic, labels, refused in labels.annotate(
            labels=Count("pk"), refused=Count("pk", filter=Q(relevance=None))
        )
    }
    events = JudgmentEvent.objects.filter(chosen).order_by().values_list("judge", "pooled__topic")
    times = events.annotate(
        timed=Count("pk", filter=TIMED),
        seconds=Sum("active_seconds", filter=TIMED),
        last_at=Max("pressed_at", filter=~Q(source="import")),
    )
    return {
        (judge, topic): ProgressCounts(*counted.get((judge, topic), (0, 0)), timed, seconds or 0, last_at)
        for judge, topic, timed, seconds, last_at in times
    }


def stored_counts(campaign: Campaign) -> dict[JudgeTopicKey, ProgressCounts]:
    rows = Progress.objects.filter(topic__campaign=campaign)
    return {
        (judge, topic): ProgressCounts(*counts)
        for judge, topic, *counts in rows.values_list("judge", "topic", *ProgressCounts._fields)
    }


def counts_differ(one: ProgressCounts | None, other: ProgressCounts | None) -> bool:
    """Whether counters differ, apart from the last digits of the seconds; no row equals zeros."""
    return str(one or ProgressCounts()) != str(other or ProgressCounts())


class Summary(NamedTuple):
    """The fields of `LabelSummary` that can be derived."""

    graders: int = 0
    refusals: int = 0
    lowest: int | None = None
    highest: int | None = None
    distance: int = 0

    def __str__(self) -> str:
        return (
            f"{self.graders} grades from {self.lowest} to {self.highest}, {self.distance} apart,"
            f" {self.refusals} refusals"
        )


def summaries_of(labels: QuerySet[Judgment]) -> dict[int, Summary]:
    """Return pooled document -> summary of these current labels."""
    rows = labels.order_by().values_list("pooled")
    figures = rows.annotate(
        graders=Count("relevance"),
        refusals=Count("pk", filter=Q(relevance=None)),
        lowest=Min("relevance"),
        highest=Max("relevance"),
    )
    return {
        pooled: Summary(graders, refusals, lowest, highest, (highest or 0) - (lowest or 0))
        for pooled, graders, refusals, lowest, highest in figures.iterator(chunk_size=10_000)
    }


def derived_summaries(campaign: Campaign) -> dict[int, Summary]:
    """Return pooled document -> summary, for all documents with a label of a person."""
    return summaries_of(CampaignReads(campaign).judgments_of_people())


def stored_summaries(campaign: Campaign) -> dict[int, Summary]:
    rows = LabelSummary.objects.filter(campaign=campaign).values_list("pooled", *Summary._fields)
    return {pooled: Summary(*fields) for pooled, *fields in rows.iterator(chunk_size=10_000)}

"""Counters of judges' progress, derived from events and current labels."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Max, Q, Sum

from assess.models import Judgment, JudgmentEvent, Progress, QueueEntry
from pooling.models import Campaign

Key = tuple[int, int]
"""judge, topic: primary keys."""
TIMED = Q(kind=QueueEntry.Kind.JUDGING, active_seconds__isnull=False) & ~Q(source="import")


class Counts(NamedTuple):
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
) -> dict[Key, Counts]:
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
        (judge, topic): Counts(*counted.get((judge, topic), (0, 0)), timed, seconds or 0, last_at)
        for judge, topic, timed, seconds, last_at in times
    }


def stored_counts(campaign: Campaign) -> dict[Key, Counts]:
    rows = Progress.objects.filter(topic__campaign=campaign)
    return {
        (judge, topic): Counts(*counts)
        for judge, topic, *counts in rows.values_list("judge", "topic", *Counts._fields)
    }


def differs(one: Counts | None, other: Counts | None) -> bool:
    """Whether counters differ, apart from the last digits of the seconds; no row equals zeros."""
    return str(one or Counts()) != str(other or Counts())

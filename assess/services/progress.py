"""The counters of each judge's work on a topic, changed in the transaction that changes what they count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from assess.models import Progress
from assess.queries.progress_counts import Counts, Key, derived_counts, differs, stored_counts
from assess.services.label_summaries import repair_label_summaries
from pooling.models import Campaign


class Change(NamedTuple):
    """What is added to the counters of a judge on a topic. last_at: the time of a press."""

    labels: int = 0
    refused: int = 0
    timed: int = 0
    seconds: float = 0
    last_at: datetime | None = None


def add_progress(changes: Mapping[Key, Change]) -> None:
    """Change counters, and raise their versions: whoever cached figures of the campaign reads them anew.

    Rows are locked in the order of their keys, so that two transactions never wait for each other.
    """
    for (judge, topic), change in sorted(changes.items()):
        own = Progress.objects.filter(judge=judge, topic=topic)
        figures = _figures(change)
        if not own.update(**figures):
            Progress.objects.bulk_create([Progress(judge_id=judge, topic_id=topic)], ignore_conflicts=True)
            own.update(**figures)


def _figures(change: Change) -> dict[str, Any]:
    figures: dict[str, Any] = {"version": F("version") + 1, "changed_at": timezone.now()}
    for name in ("labels", "refused", "timed", "seconds"):
        if added := getattr(change, name):
            figures[name] = F(name) + added
    if change.last_at:
        figures["last_at"] = Greatest(Coalesce("last_at", change.last_at), change.last_at)
    return figures


def raise_versions(topics: Iterable[int]) -> None:
    """Say that labels on these topics count otherwise: as those of probes, or beside a settled grade."""
    rows = Progress.objects.filter(topic__in=list(topics)).order_by("judge", "topic")
    keys = list(rows.select_for_update().values_list("pk", flat=True))
    Progress.objects.filter(pk__in=keys).update(version=F("version") + 1, changed_at=timezone.now())


def repair_counters(campaign: Campaign) -> int:
    """Set counters of progress and summaries of labels that are not what events and labels come to; return
    how many were wrong."""
    return _repair_progress(campaign) + repair_label_summaries(campaign)


def _repair_progress(campaign: Campaign) -> int:
    """Set counters that are not what events and labels come to; return how many rows were wrong."""
    stored, derived = stored_counts(campaign), derived_counts(campaign)
    wrong = sorted(key for key in {*stored, *derived} if differs(stored.get(key), derived.get(key)))
    for judge, topic in wrong:
        _derive_row(campaign, judge, topic)
    return len(wrong)


@transaction.atomic
def _derive_row(campaign: Campaign, judge: int, topic: int) -> None:
    """Derive one row anew. A press that is being stored waits for the row, and adds itself afterwards."""
    add_progress({(judge, topic): Change()})  # locks the row, and raises its version
    counts = derived_counts(campaign, judge, topic).get((judge, topic), Counts())
    Progress.objects.filter(judge=judge, topic=topic).update(**counts._asdict())

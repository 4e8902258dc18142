"""Progress counters per judge and topic, updated in the transaction that changes what they count."""

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
    """Amounts to add to the counters of a judge and topic. last_at: time of the label."""

    labels: int = 0
    refused: int = 0
    timed: int = 0
    seconds: float = 0
    last_at: datetime | None = None


def add_progress(changes: Mapping[Key, Change]) -> None:
    """Add to counters and increase their versions, which invalidates cached figures of the campaign.

    Rows are locked in the order of their keys, so that two transactions cannot deadlock.
    """
    for (judge, topic), change in sorted(changes.items()):
        rows = Progress.objects.filter(judge=judge, topic=topic)
        figures = _figures(change)
        if not rows.update(**figures):
            Progress.objects.bulk_create([Progress(judge_id=judge, topic_id=topic)], ignore_conflicts=True)
            rows.update(**figures)


def _figures(change: Change) -> dict[str, Any]:
    figures: dict[str, Any] = {"version": F("version") + 1, "changed_at": timezone.now()}
    for name in ("labels", "refused", "timed", "seconds"):
        if added := getattr(change, name):
            figures[name] = F(name) + added
    if change.last_at:
        figures["last_at"] = Greatest(Coalesce("last_at", change.last_at), change.last_at)
    return figures


def raise_versions(topics: Iterable[int]) -> None:
    """Increase the versions of these topics, because probes or settled grades change which labels count."""
    rows = Progress.objects.filter(topic__in=list(topics)).order_by("judge", "topic")
    keys = list(rows.select_for_update().values_list("pk", flat=True))
    Progress.objects.filter(pk__in=keys).update(version=F("version") + 1, changed_at=timezone.now())


def repair_counters(campaign: Campaign) -> int:
    """Recompute progress counters and label summaries that do not match events and labels.

    Return how many rows were wrong.
    """
    return _repair_progress(campaign) + repair_label_summaries(campaign)


def _repair_progress(campaign: Campaign) -> int:
    """Recompute counters that do not match events and labels. Return how many rows were wrong."""
    stored, derived = stored_counts(campaign), derived_counts(campaign)
    wrong = sorted(key for key in {*stored, *derived} if differs(stored.get(key), derived.get(key)))
    for judge, topic in wrong:
        _derive_row(campaign, judge, topic)
    return len(wrong)


@transaction.atomic
def _derive_row(campaign: Campaign, judge: int, topic: int) -> None:
    """Recompute one row. A label that is stored at the same time waits for the lock and is added later."""
    add_progress({(judge, topic): Change()})  # locks the row and increases its version
    counts = derived_counts(campaign, judge, topic).get((judge, topic), Counts())
    Progress.objects.filter(judge=judge, topic=topic).update(**counts._asdict())

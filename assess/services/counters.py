"""Counters of progress and summaries of labels: updated with every label, repaired by the audit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from assess.models import Judgment, LabelSummary, Probe, Progress, Source, UnfinishedLoad
from assess.queries.counters import (
    JudgeTopicKey,
    ProgressCounts,
    Summary,
    counts_differ,
    derived_counts,
    derived_summaries,
    stored_counts,
    stored_summaries,
    summaries_of,
)
from assess.queries.gold import not_gold_or_training
from assess.queries.sources import of_people
from pooling.models import Campaign, PooledDocument, Topic

BATCH = 1_000  # documents in one statement


def lock_documents(pooled: Collection[int]) -> None:
    """Lock these documents against labels and settled grades of other transactions until this one ends.

    Rows are locked in the order of their keys, so that two transactions cannot deadlock.
    """
    if not connection.features.has_select_for_update:  # SQLite: the transaction holds the only write lock
        return
    keys = sorted(pooled)
    for start in range(0, len(keys), BATCH):
        rows = PooledDocument.objects.select_for_update().filter(pk__in=keys[start : start + BATCH])
        list(rows.order_by("pk").values_list("pk"))  # the default order joins the topic and would lock it too


def update_label_summaries(campaign_id: int, pooled: Collection[int]) -> None:
    """Recompute the summaries of these documents. The caller must have locked them."""
    keys = sorted(pooled)
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        labels = Judgment.objects.filter(of_people(), not_gold_or_training(), pooled__in=batch)
        derived = summaries_of(labels)
        LabelSummary.objects.bulk_create(
            (
                LabelSummary(pooled_id=pk, campaign_id=campaign_id, **derived.get(pk, Summary())._asdict())
                for pk in batch
            ),
            update_conflicts=True,
            unique_fields=["pooled"],
            update_fields=Summary._fields,
        )


PROGRAMS = ", ".join(f"'{kind}'" for kind in Source.PROGRAMS)
SUMMARIES_OF_JUDGE = f"""
    INSERT INTO {LabelSummary._meta.db_table}
        (pooled_id, campaign_id, graders, refusals, lowest, highest, distance)
    SELECT
        pooled_id, %s, COUNT(relevance), COUNT(*) - COUNT(relevance), MIN(relevance), MAX(relevance),
        COALESCE(MAX(relevance) - MIN(relevance), 0)
    FROM {Judgment._meta.db_table}
    WHERE pooled_id IN (SELECT pooled_id FROM {Judgment._meta.db_table} WHERE judge_id = %s)
        AND pooled_id NOT IN (SELECT pooled_id FROM {Probe._meta.db_table})
        AND judge_id NOT IN (SELECT user_id FROM {Source._meta.db_table} WHERE kind IN ({PROGRAMS}))
        AND judge_id NOT IN (
            SELECT judge_id FROM {UnfinishedLoad._meta.db_table} WHERE judge_id IS NOT NULL
        )
    GROUP BY pooled_id
    ON CONFLICT (pooled_id) DO UPDATE SET
        graders = excluded.graders, refusals = excluded.refusals, lowest = excluded.lowest,
        highest = excluded.highest, distance = excluded.distance
"""


def update_summaries_of_judge(campaign_id: int, judge_id: int) -> None:
    """Recompute the summaries of all documents with a label of this judge. The caller must have locked them.

    One statement takes a small part of the time of `update_label_summaries`; on SQLite all writers wait.
    """
    with connection.cursor() as cursor:
        cursor.execute(SUMMARIES_OF_JUDGE, [campaign_id, judge_id])


@transaction.atomic
def repair_label_summaries(campaign: Campaign) -> int:
    """Recompute summaries that do not match the labels. Return how many were wrong."""
    stored, derived, empty = stored_summaries(campaign), derived_summaries(campaign), Summary()
    wrong = [key for key in {*stored, *derived} if stored.get(key, empty) != derived.get(key, empty)]
    lock_documents(wrong)
    update_label_summaries(campaign.pk, wrong)
    return len(wrong)


class ProgressChange(NamedTuple):
    """Amounts to add to the counters of a judge and topic. last_at: time of the label."""

    labels: int = 0
    refused: int = 0
    timed: int = 0
    seconds: float = 0
    last_at: datetime | None = None


def add_progress(changes: Mapping[JudgeTopicKey, ProgressChange]) -> None:
    """Add to counters and increase their versions, which invalidates cached figures of the campaign.

    Rows are locked in the order of their keys, so that two transactions cannot deadlock.
    """
    for (judge, topic), change in sorted(changes.items()):
        rows = Progress.objects.filter(judge=judge, topic=topic)
        figures = _figures(change)
        if not rows.update(**figures):
            _create_progress(judge, topic)
            rows.update(**figures)


def _create_progress(judge: int, topic: int) -> None:
    """Create the counters of a judge on a topic, and the source of a person's first label."""
    Progress.objects.bulk_create([Progress(judge_id=judge, topic_id=topic)], ignore_conflicts=True)
    campaign = Topic.objects.values_list("campaign", flat=True).get(pk=topic)
    Source.objects.bulk_create([Source(campaign_id=campaign, user_id=judge)], ignore_conflicts=True)


def _figures(change: ProgressChange) -> dict[str, Any]:
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
    wrong = sorted(key for key in {*stored, *derived} if counts_differ(stored.get(key), derived.get(key)))
    for judge, topic in wrong:
        derive_progress(campaign, judge, topic)
    return len(wrong)


@transaction.atomic
def derive_progress(campaign: Campaign, judge: int, topic: int) -> None:
    """Recompute one row. A label that is stored at the same time waits for the lock and is added later."""
    add_progress({(judge, topic): ProgressChange()})  # locks the row and increases its version
    counts = derived_counts(campaign, judge, topic).get((judge, topic), ProgressCounts())
    Progress.objects.filter(judge=judge, topic=topic).update(**counts._asdict())

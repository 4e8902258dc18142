"""Label summaries of pooled documents, updated in the transaction that changes the labels."""

from __future__ import annotations

from collections.abc import Collection

from django.db import connection, transaction

from assess.models import Judgment, LabelSummary
from assess.queries.label_summaries import Summary, derived_summaries, stored_summaries, summaries_of
from pooling.models import Campaign, PooledDocument

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
        derived = summaries_of(Judgment.objects.filter(pooled__in=batch, judge__machine=None))
        LabelSummary.objects.bulk_create(
            (
                LabelSummary(pooled_id=pk, campaign_id=campaign_id, **derived.get(pk, Summary())._asdict())
                for pk in batch
            ),
            update_conflicts=True,
            unique_fields=["pooled"],
            update_fields=Summary._fields,
        )


@transaction.atomic
def repair_label_summaries(campaign: Campaign) -> int:
    """Recompute summaries that do not match the labels. Return how many were wrong."""
    stored, derived, empty = stored_summaries(campaign), derived_summaries(campaign), Summary()
    wrong = [key for key in {*stored, *derived} if stored.get(key, empty) != derived.get(key, empty)]
    lock_documents(wrong)
    update_label_summaries(campaign.pk, wrong)
    return len(wrong)

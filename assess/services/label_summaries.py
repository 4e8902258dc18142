"""The summary of each document's labels, updated in the transaction that changes them."""

from __future__ import annotations

from collections.abc import Collection

from django.db import connection, transaction

from assess.models import Judgment, LabelSummary
from assess.queries.label_summaries import Summary, derived_summaries, stored_summaries, summaries_of
from pooling.models import Campaign, PooledDocument

BATCH = 1_000  # documents in one statement


def lock_documents(pooled: Collection[int]) -> None:
    """Wait for others who label or settle these documents; until the transaction ends they wait in turn.

    Locked in the order of their keys, so that two transactions never wait for each other.
    """
    if not connection.features.has_select_for_update:  # SQLite: the transaction holds the only write lock
        return
    keys = sorted(pooled)
    for start in range(0, len(keys), BATCH):
        rows = PooledDocument.objects.select_for_update().filter(pk__in=keys[start : start + BATCH])
        list(rows.order_by("pk").values_list("pk"))  # the usual order joins the topic and would lock it too


def update_label_summaries(campaign_id: int, pooled: Collection[int]) -> None:
    """Derive the summaries of these documents anew. The caller has locked the documents."""
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
    """Set summaries that are not what the labels come to; return how many were wrong."""
    stored, derived, none = stored_summaries(campaign), derived_summaries(campaign), Summary()
    wrong = [key for key in {*stored, *derived} if stored.get(key, none) != derived.get(key, none)]
    lock_documents(wrong)
    update_label_summaries(campaign.pk, wrong)
    return len(wrong)

"""The documents of stopped reviews that nobody labelled: judges do not get them any more."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from assess.models import ReviewedDocument
from assess.queries.withheld import labelled_by_people
from pooling.models import Pool


def withheld_after_stop(pooled: str) -> Q:
    """Return the condition that a row's document is in a pool of reviews, has no label of a person, and that
    all its reviews are stopped."""
    return Q(Exists(_left_by_stopped().order_by().filter(pooled=OuterRef(pooled))))


def left_by_stopped(pools: Collection[int]) -> QuerySet[Any]:
    """Return rows with a field `pooled`, of the documents in these pools that stopped reviews have left."""
    return _left_by_stopped().filter(pooled__pool__in=pools)


def _left_by_stopped() -> QuerySet[ReviewedDocument]:
    going_on = ReviewedDocument.objects.filter(pooled=OuterRef("pooled"), review__stopped_at=None)
    rows = ReviewedDocument.objects.filter(pooled__pool__strategy=Pool.HIGH_RECALL)
    rows = rows.exclude(review__stopped_at=None).exclude(labelled_by_people())
    return rows.filter(~Exists(going_on.order_by()))

"""Pooled documents as columns, for pages with figures of a whole campaign."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import Min, QuerySet

from assess.event_columns import Ints
from assess.models import Probe
from assess.queries.caching import cached
from assess.queries.labels import events_in
from pooling.arrays import Docnos, pad_to_words
from pooling.models import Campaign, PooledDocument
from pooling.queries.documents import pool_keys


class PooledColumns(NamedTuple):
    """Documents by key, all of shape (documents,).

    pk, topic (place in the campaign's topics), docno, best rank (0: of no run), pool.
    """

    pk: Ints
    topic: Ints
    docno: Docnos
    best_rank: Ints
    pool: Ints

    def where(self, chosen: npt.NDArray[np.bool_] | Ints | slice) -> PooledColumns:
        return PooledColumns._make(column[chosen] for column in self)


def pooled_columns(campaign: Campaign) -> PooledColumns:
    """Return every pooled document, also gold and training documents; cached until another is pooled."""
    newest = PooledDocument.objects.order_by("-pk").values_list("pk", flat=True).first()  # of any campaign
    topics = list(campaign.topics.values_list("pk", flat=True))
    version = f"{hash(tuple(pool_keys(campaign)))}-{newest}-{hash(tuple(topics))}"
    return cached(campaign, "pooled-documents", version, lambda: _read(campaign, topics))


def _read(campaign: Campaign, topics: list[int]) -> PooledColumns:
    columns = _rows(PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk"))
    keys = np.array(topics, dtype=np.int64)
    order = np.argsort(keys)
    return columns._replace(topic=order[np.searchsorted(keys[order], columns.topic)])


def _rows(stored: QuerySet[PooledDocument]) -> PooledColumns:
    """Return documents as columns, `topic` as keys."""
    rows = stored.values_list("pk", "topic", "docno", "best_rank", "pool")
    documents = list(rows.iterator(chunk_size=10_000))
    pk, topic, docno, best_rank, pool = zip(*documents, strict=True) if documents else [()] * 5
    return PooledColumns(
        np.array(pk, dtype=np.int64),
        np.array(topic, dtype=np.int64),
        pad_to_words(np.array([each.encode() for each in docno], dtype=np.bytes_)),
        np.array([rank or 0 for rank in best_rank], dtype=np.int64),
        np.array(pool, dtype=np.int64),
    )


def pools_of(campaign: Campaign, pooled: Ints) -> Ints:
    """Return the pool of each of these pooled documents."""
    documents = pooled_columns(campaign)
    return documents.pool[np.searchsorted(documents.pk, pooled)]


def judging_order(campaign: Campaign) -> Ints:
    """Return documents graded by people, as places in `pooled_columns`, by the first press."""
    machines = list(campaign.machines.values_list("user", flat=True))
    graded = events_in(campaign).filter(relevance__isnull=False).exclude(judge__in=machines)
    first = graded.order_by().values("pooled").annotate(first=Min("pressed_at"), key=Min("pk"))
    rows = first.order_by("first", "key").values_list("pooled", flat=True)
    judged = np.fromiter(rows.iterator(chunk_size=10_000), dtype=np.int64)
    return np.searchsorted(pooled_columns(campaign).pk, judged)


def is_to_be_judged(campaign: Campaign) -> npt.NDArray[np.bool_]:
    """Return for every document of `pooled_columns` whether its labels count."""
    probes = np.fromiter(Probe.objects.values_list("pooled", flat=True), dtype=np.int64)
    return ~np.isin(pooled_columns(campaign).pk, probes)

"""Pooled documents as columns, for pages with figures of a whole campaign."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import QuerySet

from assess.event_columns import Ints
from pooling.arrays import Docnos, pad_to_words
from pooling.models import PooledDocument


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


def read_pooled_columns(pools: Collection[int], topics: Sequence[int]) -> PooledColumns:
    """Return every document of these pools. topics: the keys of the campaign's topics, in its order."""
    columns = _rows(PooledDocument.objects.filter(pool__in=pools).order_by("pk"))
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

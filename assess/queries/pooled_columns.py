"""Pooled documents and what people make of them, a column a field: for pages that count whole campaigns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.consensus_columns import majorities
from assess.event_columns import REFUSED, Ints
from assess.models import Probe
from assess.queries.event_logs import log_of, people_of, standing_of
from assess.queries.juries import stamp_of
from assess.queries.keeping import kept
from pooling.columns import Docnos, whole_words
from pooling.models import Campaign, PooledDocument


class PooledColumns(NamedTuple):
    """Documents by key: pk, place of the topic in the campaign's topics, docno, best rank (0: of no run),
    pool. All of shape (documents,)."""

    pk: Ints
    topic: Ints
    docno: Docnos
    best_rank: Ints
    pool: Ints

    def where(self, chosen: npt.NDArray[np.bool_] | Ints) -> PooledColumns:
        return PooledColumns._make(column[chosen] for column in self)


def pooled_columns(campaign: Campaign) -> PooledColumns:
    """Return every pooled document, probes too; kept until another document is pooled."""
    newest = PooledDocument.objects.order_by("-pk").values_list("pk", flat=True).first()  # anywhere
    topics = list(campaign.topics.values_list("pk", flat=True))
    stamp = f"{campaign.pools.count()}-{newest}-{hash(tuple(topics))}"
    return kept(campaign, "pooled-documents", stamp, lambda: _read(campaign, topics))


def _read(campaign: Campaign, topics: list[int]) -> PooledColumns:
    place_of = {pk: place for place, pk in enumerate(topics)}
    rows = PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk")
    found = list(rows.values_list("pk", "topic", "docno", "best_rank", "pool").iterator(chunk_size=10_000))
    pk, topic, docno, best_rank, pool = zip(*found, strict=True) if found else [()] * 5
    return PooledColumns(
        np.array(pk, dtype=np.int64),
        np.array([place_of[each] for each in topic], dtype=np.int64),
        whole_words(np.array([each.encode() for each in docno], dtype=np.bytes_)),
        np.array([rank or 0 for rank in best_rank], dtype=np.int64),
        np.array(pool, dtype=np.int64),
    )


def pools_of(campaign: Campaign, pooled: Ints) -> Ints:
    """Return the pool of each of these pooled documents."""
    documents = pooled_columns(campaign)
    return documents.pool[np.searchsorted(documents.pk, pooled)]


class AgreedColumns(NamedTuple):
    """documents: places in `pooled_columns`, by topic, then key. grades: what people agree on."""

    documents: Ints
    grades: Ints


def agreed_columns(campaign: Campaign) -> AgreedColumns:
    """Return the majority of people's labels, what `agreed_grades` says of the same rule line by line.

    Kept until a label or a pool changes it.
    """
    stamp = f"{stamp_of(campaign)}-{campaign.pools.count()}"
    return kept(campaign, "agreed", stamp, lambda: _agreed(campaign))


def _agreed(campaign: Campaign) -> AgreedColumns:
    labels = people_of(campaign, standing_of(campaign))
    labels = labels.where(labels.relevance != REFUSED)
    pooled = pooled_columns(campaign)
    documents, items = np.unique(np.searchsorted(pooled.pk, labels.pooled), return_inverse=True)
    scale = sorted(grade.value for grade in campaign.grades)
    grades = majorities(items, labels.relevance, len(documents), scale)
    by_topic = np.argsort(pooled.topic[documents], kind="stable")
    return AgreedColumns(documents[by_topic], grades[by_topic])


def order_of_judging(campaign: Campaign) -> Ints:
    """Return the documents with a grade of a person, as places in `pooled_columns`, by their first one."""
    log = people_of(campaign, log_of(campaign))
    probes = np.fromiter(Probe.objects.values_list("pooled", flat=True), dtype=np.int64)
    counted = log.where(log.judging & (log.relevance != REFUSED) & ~np.isin(log.pooled, probes))
    documents, first = np.unique(counted.pooled, return_index=True)
    by_time = documents[np.argsort(first)]
    return np.searchsorted(pooled_columns(campaign).pk, by_time)


def to_judge_columns(campaign: Campaign) -> npt.NDArray[np.bool_]:
    """Tell of every document in `pooled_columns` whether its labels count: it is no probe."""
    probes = np.fromiter(Probe.objects.values_list("pooled", flat=True), dtype=np.int64)
    return ~np.isin(pooled_columns(campaign).pk, probes)

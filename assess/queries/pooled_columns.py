"""Pooled documents and what people make of them, a column a field: for pages that count whole campaigns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import QuerySet

from assess.consensus_columns import majorities
from assess.event_columns import LAST, REFUSED, EventColumns, Ints, distinct
from assess.models import Probe
from assess.queries.column_files import read_columns, write_columns
from assess.queries.event_logs import MANY, log_of, of_topics
from assess.queries.juries import stamp_of
from assess.queries.keeping import kept
from pooling.columns import Docnos, as_bytes, as_words, whole_words
from pooling.models import Campaign, PooledDocument

COMPARED = 1_000  # documents, the last of a file


class PooledColumns(NamedTuple):
    """Documents by key: pk, place of the topic in the campaign's topics, docno, best rank (0: of no run),
    pool. All of shape (documents,)."""

    pk: Ints
    topic: Ints
    docno: Docnos
    best_rank: Ints
    pool: Ints

    def where(self, chosen: npt.NDArray[np.bool_] | Ints | slice) -> PooledColumns:
        return PooledColumns._make(column[chosen] for column in self)


def pooled_columns(campaign: Campaign) -> PooledColumns:
    """Return every pooled document, probes too; kept until another document is pooled."""
    newest = PooledDocument.objects.order_by("-pk").values_list("pk", flat=True).first()  # anywhere
    topics = list(campaign.topics.values_list("pk", flat=True))
    stamp = f"{campaign.pools.count()}-{newest}-{hash(tuple(topics))}"
    return kept(campaign, "pooled-documents", stamp, lambda: _read(campaign, topics))


def _read(campaign: Campaign, topics: list[int]) -> PooledColumns:
    stored = PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk")
    found = _from_file(campaign, stored)
    if found is None:
        found = _rows(stored)
        if len(found.pk) > MANY:
            words = as_words(found.docno)
            write_columns(campaign, "pooled", found._asdict() | {"docno": words})
    keys = np.array(topics, dtype=np.int64)
    order = np.argsort(keys)
    return found._replace(topic=order[np.searchsorted(keys[order], found.topic)])


def _from_file(campaign: Campaign, stored: QuerySet[PooledDocument]) -> PooledColumns | None:
    """Return the columns that another process left in a file, `topic` as keys; None without, or if it is not
    what the database has.

    Documents are only ever added: as many as there are, of which the last are the same, are the same. These
    are compared because a file may be of another database.
    """
    nothing = _rows(stored.none())
    like = nothing._asdict() | {"docno": as_words(nothing.docno)}
    columns = read_columns(campaign, "pooled", like)
    if columns is None or len(columns["pk"]) != stored.count():
        return None
    found = PooledColumns(**{**columns, "docno": as_bytes(columns["docno"])})
    last = _rows(stored.filter(pk__gte=int(found.pk[-COMPARED:].min(initial=LAST))))
    pairs = zip(found.where(slice(-COMPARED, None)), last, strict=True)
    return found if all(np.array_equal(*pair) for pair in pairs) else None


def _rows(stored: QuerySet[PooledDocument]) -> PooledColumns:
    """Return documents as columns, `topic` as keys."""
    rows = stored.values_list("pk", "topic", "docno", "best_rank", "pool")
    found = list(rows.iterator(chunk_size=10_000))
    pk, topic, docno, best_rank, pool = zip(*found, strict=True) if found else [()] * 5
    return PooledColumns(
        np.array(pk, dtype=np.int64),
        np.array(topic, dtype=np.int64),
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
    machines = tuple(campaign.machines.order_by("user").values_list("user", flat=True))
    scale = tuple(sorted(grade.value for grade in campaign.grades))

    def made(labels: EventColumns) -> tuple[Ints, Ints]:
        """Return documents by key, and what people agree on."""
        labels = labels.where((labels.relevance != REFUSED) & ~np.isin(labels.judge, machines))
        documents, items = distinct(labels.pooled)
        return documents, majorities(items, labels.relevance, len(documents), scale)

    found = of_topics(campaign, "agreed", (machines, scale), made)
    topics = [topic for topic in campaign.topics.values_list("pk", flat=True) if topic in found]
    none = np.zeros(0, dtype=np.int64)
    keys, grades = (np.concatenate([none, *(found[topic][side] for topic in topics)]) for side in (0, 1))
    return AgreedColumns(np.searchsorted(pooled_columns(campaign).pk, keys), grades)


def order_of_judging(campaign: Campaign) -> Ints:
    """Return the documents with a grade of a person, as places in `pooled_columns`, by their first one."""
    log, documents = log_of(campaign), pooled_columns(campaign)
    machines = list(campaign.machines.values_list("user", flat=True))
    chosen = log.judging & (log.relevance != REFUSED) & ~np.isin(log.judge, machines)
    given = np.searchsorted(documents.pk, log.pooled[chosen])
    first = np.full(len(documents.pk), len(given))
    first[given[::-1]] = np.arange(len(given))[::-1]  # the earliest is written last, and stays
    judged = np.flatnonzero((first < len(given)) & to_judge_columns(campaign))
    return judged[np.argsort(first[judged])]


def to_judge_columns(campaign: Campaign) -> npt.NDArray[np.bool_]:
    """Tell of every document in `pooled_columns` whether its labels count: it is no probe."""
    probes = np.fromiter(Probe.objects.values_list("pooled", flat=True), dtype=np.int64)
    return ~np.isin(pooled_columns(campaign).pk, probes)

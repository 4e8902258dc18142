"""Stored runs, and the docnos that their numbers stand for."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from threading import RLock
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import Count, Max

from pooling.columns import Docnos, Flags
from pooling.docnos import UNKNOWN, DocnoTable
from pooling.models import Campaign, Run, RunColumns
from pooling.recent import RecentValues
from pooling.stored import StoredColumns, scores_of, unpack_columns
from pooling.strategies import RunRankings
from pooling.strategies.columns import RankedIds
from pooling.textfile import LIMIT, unpack

Stamp = dict[str, Any]

# In this process. Runs never change, so what is known of one stays true.
TABLES: RecentValues[int, tuple[DocnoTable, tuple[int, str]]] = RecentValues(256 << 20)
"""campaign -> its docnos, and the last block that was read."""
TABLES_LOCK = RLock()

COLLECTIONS: RecentValues[int, tuple[DocnoTable, Stamp]] = RecentValues(256 << 20)
"""campaign -> the docnos of its documents, and how many and which was the last when they were read."""

NUMBERED: RecentValues[tuple[int, str], StoredColumns] = RecentValues(64 << 20)
"""Runs without scores, which take twice the room."""


def docno_table(campaign: Campaign) -> DocnoTable:
    """Return the campaign's dictionary of docnos.

    Kept in this process and brought up to date block by block: what is known is not read again, unless the
    last block is no longer the one that was read (its transaction was rolled back).
    """
    with TABLES_LOCK:
        table, last = TABLES.get(campaign.pk) or (DocnoTable(), None)
        blocks = campaign.docno_blocks.filter(start__gte=last[0] if last else 0)
        found = list(blocks.values_list("start", "checksum"))
        if last and found[:1] != [last]:
            TABLES.discard(campaign.pk)
            return docno_table(campaign)
        for block in blocks.filter(start__gte=len(table)):
            table.add(np.array(zlib.decompress(block.docnos).split(b"\n")))
        if found:
            TABLES.put(campaign.pk, (table, found[-1]), table.nbytes)
        return table


def in_collection(campaign: Campaign) -> Callable[[Docnos], Flags] | None:
    """Return what tells of docnos whether the collection holds them; None where it is not all known.

    It is known when as many documents are kept as the campaign says there are.
    """
    size = campaign.collection_size
    if not size:
        return None
    stamp: Stamp = campaign.documents.aggregate(count=Count("pk"), last=Max("pk"))
    if stamp["count"] < size:
        return None
    table, read_at = COLLECTIONS.get(campaign.pk) or (DocnoTable(), None)
    if read_at != stamp:
        held = [docno.encode() for docno in campaign.documents.values_list("docno", flat=True)]
        table = DocnoTable(np.array(held))
        COLLECTIONS.put(campaign.pk, (table, stamp), table.nbytes)
    return lambda docnos: table.find(docnos) != UNKNOWN


def text_of(run: Run) -> bytes:
    """Return a run as it was submitted, unpacked. Raises OSError and BadFile."""
    with run.original.open("rb") as file:
        return unpack(file.read(), run.file_name, max(LIMIT, settings.UPLOAD_LIMIT))


def stored(run: Run) -> StoredColumns:
    """Return the columns of a stored run."""
    blobs = run.columns
    return unpack_columns(*map(bytes, (blobs.topics, blobs.offsets, blobs.ids, blobs.scores, blobs.scoring)))


def ranked_runs(
    campaign: Campaign, runs: Iterable[Run], deepest: int, topic: str | None = None
) -> list[RunRankings]:
    """Return what runs returned to a rank, in pooling order, with their scores: for one topic, or for all."""
    names = docno_table(campaign).docnos()
    return [_ranked(run, deepest, names, topic) for run in runs]


def _ranked(run: Run, deepest: int, names: Docnos, topic: str | None) -> RunRankings:
    columns = stored(run)
    docnos: dict[str, list[str]] = {}
    scores: dict[str, list[float]] = {}
    for name, (start, end) in zip(columns.topics, pairwise(columns.offsets.tolist()), strict=True):
        if topic in (None, name):
            rows = slice(start, min(end, start + deepest))
            docnos[name] = [docno.decode() for docno in names[columns.ids[rows]].tolist()]
            scores[name] = columns.scores[rows].tolist()
    return RunRankings(run.tag, docnos, run.group, run.kind, run.priority, scores)


def numbered(runs: Iterable[Run], topics: Sequence[str], with_scores: bool = False) -> list[RankedIds]:
    """Return runs as document numbers, topics by their place in `topics`; kept for the next call but for the
    scores."""
    runs, places = list(runs), {topic: place for place, topic in enumerate(topics)}
    columns = numbered_columns(runs)
    if with_scores:
        scores = dict(blobs_of([run.pk for run in runs], "scores"))
        pairs = zip(runs, columns, strict=True)
        columns = [replace(each, scores=scores_of(scores[run.pk])) for run, each in pairs]
    return [_ranked_ids(each, places) for each in columns]


def numbered_columns(runs: Sequence[Run]) -> list[StoredColumns]:
    """Return the topics and document numbers of runs, in pooling order; kept for the next call."""
    kept = {run.pk: NUMBERED.get((run.pk, run.sha256)) for run in runs}
    found = {pk: columns for pk, columns in kept.items() if columns}
    found |= _columns_of([run.pk for run in runs if run.pk not in found])
    for run in runs:
        if not kept[run.pk]:
            NUMBERED.put((run.pk, run.sha256), found[run.pk], found[run.pk].nbytes)
    return [found[run.pk] for run in runs]


def _columns_of(pks: Sequence[int]) -> dict[int, StoredColumns]:
    """Return the columns of runs without their scores and their scoring order."""
    blobs = blobs_of(pks, "topics", "offsets", "ids")
    return {pk: unpack_columns(topics, offsets, ids, b"", b"") for pk, topics, offsets, ids in blobs}


def blobs_of(pks: Sequence[int], *names: str) -> Iterator[tuple[Any, ...]]:
    """Yield the keys of runs, each with the columns that are asked for.

    From PostgreSQL in binary: as text, which Django asks for, a blob is twice as long and takes four times as
    long.
    """
    for start in range(0, len(pks), 50):
        rows = RunColumns.objects.filter(run__in=pks[start : start + 50]).values_list("pk", *names)
        if connection.vendor == "postgresql":
            from psycopg import Cursor  # here, because nobody else needs it

            connection.ensure_connection()
            with connection.wrap_database_errors, Cursor(connection.connection) as cursor:
                yield from cursor.execute(*rows.query.sql_with_params(), binary=True)
        else:
            yield from rows


def _ranked_ids(columns: StoredColumns, places: dict[str, int]) -> RankedIds:
    topics = np.array([places[topic] for topic in columns.topics])
    return RankedIds(topics, columns.offsets, columns.ids, columns.scores)

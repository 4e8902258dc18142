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

from pooling.columns import Docnos, Flags
from pooling.docnos import UNKNOWN, DocnoTable
from pooling.models import Campaign, Run, RunColumns
from pooling.stored import StoredColumns, scores_of, unpack_columns
from pooling.strategies import RunRankings
from pooling.strategies.columns import RankedIds
from pooling.textfile import LIMIT, unpack

TABLES: dict[int, tuple[DocnoTable, tuple[int, str]]] = {}  # campaign -> docnos, the last block that was read


TABLES_LOCK = RLock()


COLLECTIONS: dict[int, tuple[DocnoTable, int]] = {}  # campaign -> docnos of its documents, how many


RANKED: dict[tuple[int, str, int], tuple[dict[str, list[str]], dict[str, list[float]]]] = {}


NUMBERED: dict[tuple[int, str], StoredColumns] = {}  # without scores, which take twice the room


RUNS_KEPT = 200  # in each of these, in this process


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
            del TABLES[campaign.pk]
            return docno_table(campaign)
        for block in blocks.filter(start__gte=len(table)):
            table.add(np.array(zlib.decompress(block.docnos).split(b"\n")))
        if found:
            TABLES[campaign.pk] = table, found[-1]
        return table


def in_collection(campaign: Campaign) -> Callable[[Docnos], Flags] | None:
    """Return what tells of docnos whether the collection holds them; None where it is not all known.

    It is known when as many documents are kept as the campaign says there are.
    """
    size = campaign.collection_size
    if not size or campaign.documents.count() < size:
        return None
    table, count = COLLECTIONS.get(campaign.pk, (DocnoTable(), 0))
    if count != size:
        held = [docno.encode() for docno in campaign.documents.values_list("docno", flat=True)]
        table, count = DocnoTable(np.array(held)), size
        COLLECTIONS[campaign.pk] = table, count
    return lambda docnos: table.find(docnos) != UNKNOWN


def text_of(run: Run) -> bytes:
    """Return a run as it was submitted, unpacked. Raises OSError and BadFile."""
    with run.original.open("rb") as file:
        return unpack(file.read(), run.file_name, max(LIMIT, settings.UPLOAD_LIMIT))


def stored(run: Run) -> StoredColumns:
    """Return the columns of a stored run."""
    blobs = run.columns
    return unpack_columns(*map(bytes, (blobs.topics, blobs.offsets, blobs.ids, blobs.scores, blobs.scoring)))


def ranked_runs(campaign: Campaign, runs: Iterable[Run], deepest: int) -> list[RunRankings]:
    """Return what runs returned for each topic to a rank, in pooling order, with their scores.

    Kept for the next call: runs never change, and an organiser who moves a control asks again at once.
    """
    names = docno_table(campaign).docnos()
    return [_ranked(run, deepest, names) for run in runs]


def _ranked(run: Run, deepest: int, names: Docnos) -> RunRankings:
    key = (run.pk, run.sha256, deepest)
    if key not in RANKED:
        columns = stored(run)
        bounds = columns.offsets.tolist()
        cuts = [(start, min(end, start + deepest)) for start, end in pairwise(bounds)]
        docnos = {
            topic: [docno.decode() for docno in names[columns.ids[start:end]].tolist()]
            for topic, (start, end) in zip(columns.topics, cuts, strict=True)
        }
        scores = {
            topic: columns.scores[start:end].tolist()
            for topic, (start, end) in zip(columns.topics, cuts, strict=True)
        }
        while len(RANKED) >= RUNS_KEPT:
            RANKED.pop(next(iter(RANKED)), None)
        RANKED[key] = (docnos, scores)
    docnos, scores = RANKED[key]
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
        while len(NUMBERED) >= RUNS_KEPT and (run.pk, run.sha256) not in NUMBERED:
            NUMBERED.pop(next(iter(NUMBERED)), None)
        NUMBERED[run.pk, run.sha256] = found[run.pk]
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

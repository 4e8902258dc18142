"""Stored runs, and the dictionary of docnos of a campaign."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from django.conf import settings
from django.db.models import Count, Max

from pooling.arrays import Docnos, Flags
from pooling.checksum import sha256_of
from pooling.formats.docnos import UNKNOWN, DocnoTable
from pooling.formats.files import UNPACKED_LIMIT, unpack
from pooling.formats.run_columns import RunColumnArrays, unpack_columns
from pooling.formats.run_header import read_header
from pooling.formats.runs import RunFile, parse_run
from pooling.intake.tables import Reading
from pooling.models import Campaign, Pool, Run, RunColumns
from pooling.queries.caching import cached
from pooling.strategies.candidates import RankedIds
from pooling.strategies.rankings import RunRankings


def docnos_version(campaign: Campaign) -> tuple[int, str] | None:
    """Return a version of the docno dictionary: start and checksum of its last block; None if it is empty."""
    return campaign.docno_blocks.order_by("start").values_list("start", "checksum").last()


def docno_table(campaign: Campaign) -> DocnoTable:
    """Return the campaign's dictionary of docnos, cached until a run brings new ones."""
    return cached(campaign, "docnos", docnos_version(campaign), lambda: read_docnos(campaign))


def read_docnos(campaign: Campaign) -> DocnoTable:
    table = DocnoTable()
    blocks = campaign.docno_blocks.order_by("start").values_list("docnos", flat=True)
    if docnos := b"\n".join(zlib.decompress(block) for block in blocks.iterator()):
        table.append(np.array(docnos.split(b"\n")))
    return table


def runs_version(campaign: Campaign) -> str:
    """Return a version of the runs that are pooled and scored, for caching."""
    facts = ("pk", "tag", "group", "kind", "priority", "is_hidden")
    return sha256_of(repr(list(campaign.runs.active().order_by("pk").values_list(*facts))))


def in_collection(campaign: Campaign) -> Callable[[Docnos], Flags] | None:
    """Return a function: docnos -> which of them are in the collection; None if the collection is not known.

    It is known if the campaign has a collection size and as many documents are stored.
    """
    size = campaign.collection_size
    if not size:
        return None
    version = campaign.documents.aggregate(count=Count("pk"), last=Max("pk"))
    if version["count"] < size:
        return None

    def read() -> DocnoTable:
        docnos = campaign.documents.order_by().values_list("docno", flat=True)
        return DocnoTable(np.array([docno.encode() for docno in docnos.iterator()]))

    table = cached(campaign, "collection", version, read)
    return lambda docnos: table.find(docnos) != UNKNOWN


def left_out_before(campaign: Campaign) -> list[str]:
    """Return the tags of runs that the last pool could have had and does not have.

    A pool for which no runs were chosen does not count.
    """
    chosen = campaign.pools.filter(runs__isnull=False).exclude(strategy=Pool.UNJUDGED)
    last = chosen.defer("manifest").order_by("-number").first()
    if last is None:
        return []
    offered = campaign.runs.active().filter(submitted_at__lte=last.frozen_at)
    return list(offered.exclude(pools=last).values_list("tag", flat=True))


def submitted_text(run: Run) -> bytes:
    """Return a run as it was submitted, unpacked. Raises OSError and BadFile."""
    with run.original.open("rb") as file:
        return unpack(file.read(), run.file_name, max(UNPACKED_LIMIT, settings.UPLOAD_LIMIT))


def read_submitted(run: Run) -> tuple[bytes, RunFile]:
    """Return a run as it was submitted, unpacked, and its columns, read again. Raises OSError and BadFile."""
    text = submitted_text(run)
    _, body = read_header(text, run.file_name)
    reading, renamed = Reading(run.fields), run.topic_numbers
    return text, parse_run(body, run.file_name, order=run.order, reading=reading, renamed=renamed)


def run_columns(run: Run) -> RunColumnArrays:
    """Return the columns of a stored run."""
    blobs = run.columns
    return unpack_columns(*map(bytes, (blobs.topics, blobs.offsets, blobs.ids, blobs.scores, blobs.scoring)))


def scored_lines(run: Run) -> Iterator[bytes]:
    """Yield the lines of a run, a topic at a time, with the scores and ranks by which it is scored.

    trec_eval gives such a file the scores that the campaign shows, whichever order was chosen for the run.
    """
    columns = run_columns(run)
    names = docno_table(run.campaign).docnos(columns.scored_ids.astype(np.int64))
    scores = columns.scores[columns.scoring] if len(columns.scoring) else columns.scores
    for topic, (start, end) in zip(columns.topics, pairwise(columns.offsets.tolist()), strict=True):
        rows = zip(names[start:end].tolist(), scores[start:end].tolist(), strict=True)
        lines = (
            f"{topic} Q0 {name.decode()} {rank} {score!r} {run.tag}\n"
            for rank, (name, score) in enumerate(rows, 1)
        )
        yield "".join(lines).encode()


def ranked_runs(
    campaign: Campaign, runs: Iterable[Run], deepest: int, topic: str | None = None
) -> list[RunRankings]:
    """Return the rankings of runs with scores, in pooling order, down to the rank `deepest`.

    topic: only this one; None for all.
    """
    names = docno_table(campaign).docnos()
    return [_ranked(run, deepest, names, topic) for run in runs]


def _ranked(run: Run, deepest: int, names: Docnos, topic: str | None) -> RunRankings:
    columns = run_columns(run)
    docnos: dict[str, list[str]] = {}
    scores: dict[str, list[float]] = {}
    for name, (start, end) in zip(columns.topics, pairwise(columns.offsets.tolist()), strict=True):
        if topic in (None, name):
            rows = slice(start, min(end, start + deepest))
            docnos[name] = [docno.decode() for docno in names[columns.ids[rows]].tolist()]
            scores[name] = columns.scores[rows].tolist()
    return RunRankings(run.tag, docnos, run.group, run.kind, run.priority, scores)


def top_docnos(run: Run, topic: str, depth: int) -> list[str]:
    """Return a run's first documents of a topic, in scoring order."""
    columns = run_columns(run)
    if topic not in columns.topics:
        return []
    place = columns.topics.index(topic)
    start, end = int(columns.offsets[place]), int(columns.offsets[place + 1])
    ids = columns.scored_ids[start : min(end, start + depth)].astype(np.int64)
    return [docno.decode() for docno in docno_table(run.campaign).docnos(ids).tolist()]


def ranked_ids(
    runs: Iterable[Run],
    topics: Sequence[str],
    with_scores: bool = False,
    only: Collection[str] | None = None,
) -> list[RankedIds]:
    """Return runs as document numbers, topics by their place in `topics`.

    only: the topics that are read; None for all. Results for other topics are left out.
    """
    wanted = None if only is None else set(only)
    places = {topic: index for index, topic in enumerate(topics) if wanted is None or topic in wanted}
    arrays = ("ids", "scores") if with_scores else ("ids",)
    return [_ranked_ids(columns, places) for columns in stored_arrays(list(runs), *arrays)]


def stored_arrays(runs: Sequence[Run], *names: str) -> list[RunColumnArrays]:
    """Return the columns of stored runs, in the order of the runs.

    names: which of ids, scores and scoring are read; the others are empty.
    """
    unread = {"ids": b"", "scores": b"", "scoring": b""}
    read = ("topics", "offsets", *names)
    rows = RunColumns.objects.filter(run__in=[run.pk for run in runs]).values_list("pk", *read)
    columns = {pk: unpack_columns(**unread | dict(zip(read, blobs, strict=True))) for pk, *blobs in rows}
    return [columns[run.pk] for run in runs]


def _ranked_ids(columns: RunColumnArrays, places: dict[str, int]) -> RankedIds:
    kept = np.array([topic in places for topic in columns.topics], dtype=bool)
    if kept.all():
        topics = np.array([places[topic] for topic in columns.topics])
        return RankedIds(topics, columns.offsets, columns.ids, columns.scores)
    lengths = np.diff(columns.offsets)
    rows = np.repeat(kept, lengths)
    return RankedIds(
        np.array([places[topic] for topic in columns.topics if topic in places], dtype=np.int64),
        np.concatenate([[0], np.cumsum(lengths[kept])]).astype(columns.offsets.dtype),
        columns.ids[rows],
        columns.scores[rows] if len(columns.scores) else columns.scores,
    )

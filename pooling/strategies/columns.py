"""Depth pools over stored columns: the same pools as `depth_pool`, of a hundred runs between two key presses.

A stored run is its document numbers in pooling order, topic after topic. Documents are numbered by one
dictionary for all runs of a campaign, topics by their place in a list that all runs share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pooling.columns import IntVector, Vector
from pooling.refusals import Refused

from .pooled import Found, Pooled

Ids = npt.NDArray[np.int32]


class RankedIds(NamedTuple):
    """One run. topics: int64 of shape (topics,), no number twice. offsets: int64 of shape (topics + 1,); the
    rows of the t-th are offsets[t] to offsets[t + 1]. ids: int32 of shape (rows,), in pooling order. scores:
    float64 beside the ids, or of shape (0,) where nobody asks for them."""

    topics: IntVector
    offsets: IntVector
    ids: Ids
    scores: Vector = np.empty(0)


class PoolColumns(NamedTuple):
    """A pool, one row a document, by topic and id. All of shape (documents,): topics, ids, the best rank in
    any run and the number of runs, both within the pool's depth."""

    topics: IntVector
    ids: IntVector
    best_ranks: IntVector
    run_counts: IntVector

    def pooled(self, topics: Sequence[str], docnos: Sequence[str]) -> Pooled:
        """Return the pool by name. topics, docnos: number -> name."""
        pool: Pooled = {}
        rows = zip(*(column.tolist() for column in self), strict=True)
        for topic, docno, best_rank, run_count in rows:
            pool.setdefault(topics[topic], {})[docnos[docno]] = Found(best_rank, run_count)
        return pool


def depth_columns(runs: Sequence[RankedIds], depth: int) -> PoolColumns:
    """Pool the first `depth` documents of every run, per topic (Sparck Jones & van Rijsbergen 1975).

    One sort tells it all: with topic, id and rank written into one whole number, the places at which a
    document was found become neighbours, the best rank first. Raises Refused for a depth below 1, and
    where the three do not fit into 63 bits.
    """
    if depth < 1:
        raise Refused(f"expected a depth of at least 1, found {depth}")
    widths = _widths(runs, depth)
    places = np.sort(np.concatenate([np.empty(0, np.int64), *(_places(run, depth, widths) for run in runs)]))
    documents = places >> widths.rank
    firsts = np.flatnonzero(np.diff(documents, prepend=-1))
    documents, best = documents[firsts], places[firsts] & ((1 << widths.rank) - 1)
    return PoolColumns(
        documents >> widths.id,
        documents & ((1 << widths.id) - 1),
        best + 1,
        np.diff(firsts, append=len(places)),
    )


class _Widths(NamedTuple):
    """How many bits ids and ranks take in a place."""

    id: int
    rank: int


def _widths(runs: Sequence[RankedIds], depth: int) -> _Widths:
    longest = max((int(np.diff(run.offsets).max(initial=0)) for run in runs), default=0)
    widths = _Widths(
        max((int(run.ids.max(initial=0)) for run in runs), default=0).bit_length(),
        min(depth, longest).bit_length(),
    )
    topic = max((int(run.topics.max(initial=0)) for run in runs), default=0).bit_length()
    if topic + sum(widths) > 63:
        raise Refused(f"expected topics, ids and ranks of 63 bits in all, found {topic + sum(widths)}")
    return widths


def _places(run: RankedIds, depth: int, widths: _Widths) -> IntVector:
    """Return one number for each of a run's first `depth` rows: topic, id and rank from 0, in this order."""
    top = top_of(run, depth)
    topics, ids = top.topics << (widths.id + widths.rank), top.ids << widths.rank
    places: IntVector = topics | ids | top.ranks
    return places


class Top(NamedTuple):
    """The first rows of a run's topics: int64 of shape (rows,). ranks: from 0. rows: where in the run."""

    topics: IntVector
    ids: IntVector
    ranks: IntVector
    rows: IntVector


def top_of(run: RankedIds, depth: int) -> Top:
    """Return the first `depth` rows of every topic of a run."""
    lengths = np.minimum(np.diff(run.offsets), depth)
    ends = np.cumsum(lengths)
    ranks = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    rows = ranks + np.repeat(run.offsets[:-1], lengths)
    return Top(np.repeat(run.topics.astype(np.int64), lengths), run.ids[rows].astype(np.int64), ranks, rows)

"""The documents that strategies choose among, as columns, and the type of a pool.

Topics, runs and documents are numbers: topics by their position in a list, documents by one dictionary that
all runs share. Names are looked up only for the chosen documents.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pooling.arrays import Docnos, Flags, IntVector, Vector
from pooling.refusals import Refused
from pooling.strategies.rankings import RunRankings, topics_of_runs


class PoolEntry(NamedTuple):
    """How runs found a pooled document: its best rank in any (None: in no run), and in how many."""

    best_rank: int | None
    run_count: int


Pooled = dict[str, dict[str, PoolEntry]]
"""topic -> docno -> how it was found."""


Number = TypeVar("Number", np.int64, np.float64)
Ids = npt.NDArray[np.int32]


class RankedIds(NamedTuple):
    """One run. topics: int64 of shape (topics,), no number twice. offsets: int64 of shape (topics + 1,); the
    rows of the t-th are offsets[t] to offsets[t + 1]. ids: int32 of shape (rows,), in pooling order. scores:
    float64 beside the ids, or of shape (0,) where they are not needed."""

    topics: IntVector
    offsets: IntVector
    ids: Ids
    scores: Vector = np.empty(0)


class Top(NamedTuple):
    """The first rows of a run's topics: int64 of shape (rows,). ranks: from 0. rows: where in the run."""

    topics: IntVector
    ids: IntVector
    ranks: IntVector
    rows: IntVector


def top_rows(run: RankedIds, depth: int) -> Top:
    """Return the first `depth` rows of every topic of a run."""
    lengths = np.minimum(np.diff(run.offsets), depth)
    ends = np.cumsum(lengths)
    ranks = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    rows = ranks + np.repeat(run.offsets[:-1], lengths)
    return Top(np.repeat(run.topics.astype(np.int64), lengths), run.ids[rows].astype(np.int64), ranks, rows)


class Documents(NamedTuple):
    """Documents, one row each, by topic and id. All of shape (documents,): topics, ids, the best rank in any
    run and the number of runs, both within the depth to which each run is read."""

    topics: IntVector
    ids: IntVector
    best_ranks: IntVector
    run_counts: IntVector


class Postings(NamedTuple):
    """Where runs hold documents, a row each, by document, rank and run; int64 of shape (postings,).

    documents: the row in `Candidates.documents`. ranks: from 1. runs: the number of the run.
    """

    documents: IntVector
    ranks: IntVector
    runs: IntVector


@dataclass(frozen=True, eq=False)
class Candidates:
    """Every document that runs hold down to some rank.

    topics, tags: number -> name, of topics and of runs. documents: one row each, by topic and id. bounds:
    int64 of shape (topics + 1,); those of topic t are bounds[t] to bounds[t + 1]. lengths: int64 of shape
    (runs, topics), how many documents of a run's list for a topic are read. cut: bool of the same shape,
    whether the list goes on below. scores: float64 of shape (postings,), of shape (0,) where the runs came
    without. docnos: ids -> docnos.
    """

    topics: Sequence[str]
    tags: Sequence[str]
    documents: Documents
    postings: Postings
    bounds: IntVector
    lengths: IntVector
    cut: npt.NDArray[np.bool_]
    scores: Vector
    docnos: Callable[[IntVector], Docnos]
    _kept: dict[str, Vector] = field(default_factory=dict, repr=False)

    def keep(self, name: str, make: Callable[[], Vector]) -> Vector:
        """Return what `make` gave the first time for this name: several choices ask the same of documents."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def keys(self) -> IntVector:
        """Return the documents as one whole number each, ascending."""
        return pair_keys(self.documents.topics, self.documents.ids)

    def of_topics(self) -> Iterator[tuple[str, slice]]:
        """Yield (topic, the rows of its documents) for every topic that has some."""
        for topic, (start, end) in enumerate(zip(self.bounds[:-1], self.bounds[1:], strict=True)):
            if start < end:
                yield self.topics[topic], slice(int(start), int(end))

    def pooled(self, chosen: Flags) -> Pooled:
        """Return the chosen documents by name, by topic and docno. chosen: shape (documents,)."""
        pool: Pooled = {}
        topics, ids, ranks, counts = (column[chosen] for column in self.documents)
        docnos = self.docnos(ids)
        order = np.lexsort((docnos, topics))
        rows = zip(topics[order], docnos[order], ranks[order].tolist(), counts[order].tolist(), strict=True)
        for topic, docno, best_rank, run_count in rows:
            pool.setdefault(self.topics[topic], {})[docno.decode()] = PoolEntry(best_rank, run_count)
        return pool

    def among(self, pool: Mapping[str, Collection[str]]) -> Flags:
        """Tell which of the documents a pool (topic -> docnos) holds; shape (documents,)."""
        in_lists = np.zeros(len(self.documents.ids), dtype=bool)
        for topic, rows in self.of_topics():
            docnos = pool.get(topic, ())
            in_lists[rows] = [docno.decode() in docnos for docno in self.docnos(self.documents.ids[rows])]
        return in_lists

    @cached_property
    def lists_of_finds(self) -> IntVector:
        """The place of every find's run and topic in an array of shape (runs, topics) without its shape."""
        return self.postings.runs * len(self.topics) + self.documents.topics[self.postings.documents]

    def by_find(self, of_lists: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Return of every find what belongs to its run and topic. of_lists: one for each of these."""
        return of_lists.ravel()[self.lists_of_finds]

    def summed(self, of_finds: Vector) -> Vector:
        """Return the sum for every document, added from its best rank down; shape (documents,)."""
        sums = np.bincount(self.postings.documents, of_finds, minlength=len(self.documents.ids))
        return sums.astype(np.float64, copy=False)


def pair_keys(topics: IntVector, ids: IntVector) -> IntVector:
    """Return a whole number for each topic and document; ascending by topic and id."""
    return topics << 32 | ids


def candidates_of(
    runs: Sequence[RankedIds],
    depths: Sequence[int],
    topics: Sequence[str],
    tags: Sequence[str],
    docnos: Callable[[IntVector], Docnos],
) -> Candidates:
    """Return what runs hold, each down to a depth of its own.

    One sort postings it: with topic, id, rank and run written into one whole number, the places at which a
    document is held become neighbours. Raises Refused where the four do not fit into 63 bits.
    """
    tops = [top_rows(run, depth) for run, depth in zip(runs, depths, strict=True)]
    of_all = [np.concatenate([np.empty(0, np.int64), *columns]) for columns in zip(*tops, strict=True)]
    topic, ids, ranks, _ = of_all or [np.empty(0, np.int64)] * 4
    run = np.repeat(np.arange(len(tops)), [len(top.ids) for top in tops])
    columns = _sorted(topic, ids, ranks, run)
    places = pair_keys(columns[0], columns[1])
    firsts = np.flatnonzero(np.diff(places, prepend=-1))
    counts = np.diff(firsts, append=len(places))
    documents = Documents(columns[0][firsts], columns[1][firsts], columns[2][firsts] + 1, counts)
    lengths, _, cut = _lists(runs, depths, len(topics))
    candidates = Candidates(
        topics,
        tags,
        documents,
        Postings(np.repeat(np.arange(len(firsts)), counts), columns[2] + 1, columns[3]),
        np.searchsorted(documents.topics, np.arange(len(topics) + 1)),
        lengths,
        cut,
        np.empty(0),
        docnos,
    )
    return (
        _with_scores(candidates, runs, depths)
        if any(len(ranked_run.scores) for ranked_run in runs)
        else candidates
    )


def _with_scores(candidates: Candidates, runs: Sequence[RankedIds], depths: Sequence[int]) -> Candidates:
    """Return the candidates that were made of these runs, with the runs' scores."""
    _, begins, _ = _lists(runs, depths, len(candidates.topics))
    pairs = zip(runs, depths, strict=True)
    scores = np.concatenate([np.empty(0), *(run.scores[top_rows(run, depth).rows] for run, depth in pairs)])
    return replace(candidates, scores=scores[candidates.by_find(begins) + candidates.postings.ranks - 1])


def _sorted(*columns: IntVector) -> list[IntVector]:
    """Return whole numbers from 0 sorted by the first column, then by the second, and so on."""
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) > 63:
        raise Refused(f"expected topics, ids, ranks and runs of 63 bits in all, found {sum(widths)}")
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for column, width in zip(columns, widths, strict=True):
        packed <<= width
        packed |= column
    packed.sort()
    unpacked: list[IntVector] = []
    for width in reversed(widths):
        unpacked.insert(0, packed & ((1 << width) - 1))
        packed >>= width
    return unpacked


def _lists(
    runs: Sequence[RankedIds], depths: Sequence[int], topics: int
) -> tuple[IntVector, IntVector, npt.NDArray[np.bool_]]:
    """Return of the list of each run and topic how much is read, where that begins when all stand in a row,
    and whether the list goes on; all of shape (runs, topics)."""
    lengths, begins = np.zeros((2, len(runs), topics), dtype=np.int64)
    goes_on = np.zeros((len(runs), topics), dtype=bool)
    before = 0
    for number, (run, depth) in enumerate(zip(runs, depths, strict=True)):
        whole = np.diff(run.offsets)
        cut = np.minimum(whole, depth)
        lengths[number, run.topics] = cut
        begins[number, run.topics] = before + np.cumsum(cut) - cut
        goes_on[number, run.topics] = whole > depth
        before += int(cut.sum())
    return lengths, begins, goes_on


def candidates_of_rankings(
    runs: Sequence[RunRankings], depths: Sequence[int], with_scores: bool
) -> Candidates:
    """Return what named runs hold, each down to a depth of its own."""
    topics = topics_of_runs(runs)
    docnos = sorted({docno for run in runs for ranking in run.rankings.values() for docno in ranking})
    topic_numbers = {topic: number for number, topic in enumerate(topics)}
    ids = {docno: number for number, docno in enumerate(docnos)}
    names = np.array([docno.encode() for docno in docnos], dtype=np.bytes_)
    numbered = [_numbered(run, topic_numbers, ids, with_scores) for run in runs]
    return candidates_of(numbered, depths, topics, [run.tag for run in runs], lambda ids: names[ids])


def _numbered(
    run: RunRankings, topics: Mapping[str, int], ids: Mapping[str, int], with_scores: bool
) -> RankedIds:
    answered = [topic for topic, ranking in run.rankings.items() if ranking]
    scores = [score for topic in answered for score in run.scores[topic]] if with_scores else []
    return RankedIds(
        np.array([topics[topic] for topic in answered], dtype=np.int64),
        np.cumsum([0, *(len(run.rankings[topic]) for topic in answered)]),
        np.array([ids[docno] for topic in answered for docno in run.rankings[topic]], dtype=np.int32),
        np.array(scores, dtype=np.float64),
    )

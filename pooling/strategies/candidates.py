"""What runs offer a pool, in columns: the documents that strategies choose among, and where runs hold them.

Made once for the runs of a campaign; then every strategy chooses among them while an organiser waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pooling.columns import Docnos, IntVector, Vector
from pooling.refusals import Refused

from .columns import PoolColumns, RankedIds, top_of

Number = TypeVar("Number", np.int64, np.float64)


class Finds(NamedTuple):
    """Where runs hold documents, a row each, by document, rank and run; int64 of shape (finds,).

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
    (runs, topics), how many documents a run has for a topic. scores: float64 of shape (finds,), of shape (0,)
    where the runs came without. docnos: ids -> docnos.
    """

    topics: Sequence[str]
    tags: Sequence[str]
    documents: PoolColumns
    finds: Finds
    bounds: IntVector
    lengths: IntVector
    scores: Vector
    docnos: Callable[[IntVector], Docnos]
    _kept: dict[str, Vector] = field(default_factory=dict, repr=False)

    def keep(self, name: str, make: Callable[[], Vector]) -> Vector:
        """Return what `make` gave the first time for this name: several choices ask the same of documents."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    @property
    def nbytes(self) -> int:
        """The bytes that the arrays take, without what `keep` adds."""
        columns = (*self.documents, *self.finds, self.bounds, self.lengths, self.scores)
        return sum(each.nbytes for each in columns)

    def keys(self) -> IntVector:
        """Return the documents as one whole number each, ascending."""
        return pair_keys(self.documents.topics, self.documents.ids)

    def of_topics(self) -> Iterator[tuple[str, slice]]:
        """Yield (topic, the rows of its documents) for every topic that has some."""
        for topic, (start, end) in enumerate(zip(self.bounds[:-1], self.bounds[1:], strict=True)):
            if start < end:
                yield self.topics[topic], slice(int(start), int(end))

    @cached_property
    def lists_of_finds(self) -> IntVector:
        """The place of every find's run and topic in an array of shape (runs, topics) without its shape."""
        return self.finds.runs * len(self.topics) + self.documents.topics[self.finds.documents]

    def by_find(self, of_lists: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Return of every find what belongs to its run and topic. of_lists: one for each of these."""
        return of_lists.ravel()[self.lists_of_finds]

    def summed(self, of_finds: Vector) -> Vector:
        """Return the sum for every document, added from its best rank down; shape (documents,)."""
        sums = np.bincount(self.finds.documents, of_finds, minlength=len(self.documents.ids))
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

    One sort finds it: with topic, id, rank and run written into one whole number, the places at which a
    document is held become neighbours. Raises Refused where the four do not fit into 63 bits.
    """
    tops = [top_of(run, depth) for run, depth in zip(runs, depths, strict=True)]
    of_all = [np.concatenate([np.empty(0, np.int64), *columns]) for columns in zip(*tops, strict=True)]
    topic, ids, ranks, _ = of_all or [np.empty(0, np.int64)] * 4
    run = np.repeat(np.arange(len(tops)), [len(top.ids) for top in tops])
    found = _sorted(topic, ids, ranks, run)
    places = pair_keys(found[0], found[1])
    firsts = np.flatnonzero(np.diff(places, prepend=-1))
    counts = np.diff(firsts, append=len(places))
    documents = PoolColumns(found[0][firsts], found[1][firsts], found[2][firsts] + 1, counts)
    lengths, _ = _lists(runs, depths, len(topics))
    candidates = Candidates(
        topics,
        tags,
        documents,
        Finds(np.repeat(np.arange(len(firsts)), counts), found[2] + 1, found[3]),
        np.searchsorted(documents.topics, np.arange(len(topics) + 1)),
        lengths,
        np.empty(0),
        docnos,
    )
    return with_scores(candidates, runs, depths) if any(len(each.scores) for each in runs) else candidates


def with_scores(candidates: Candidates, runs: Sequence[RankedIds], depths: Sequence[int]) -> Candidates:
    """Return the candidates that were made of these runs, which now come with scores."""
    _, begins = _lists(runs, depths, len(candidates.topics))
    pairs = zip(runs, depths, strict=True)
    scores = np.concatenate([np.empty(0), *(run.scores[top_of(run, depth).rows] for run, depth in pairs)])
    return replace(candidates, scores=scores[candidates.by_find(begins) + candidates.finds.ranks - 1])


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


def _lists(runs: Sequence[RankedIds], depths: Sequence[int], topics: int) -> tuple[IntVector, IntVector]:
    """Return how long the list of each run and topic is, and where it begins when all stand in a row."""
    lengths, begins = np.zeros((2, len(runs), topics), dtype=np.int64)
    before = 0
    for number, (run, depth) in enumerate(zip(runs, depths, strict=True)):
        cut = np.minimum(np.diff(run.offsets), depth)
        lengths[number, run.topics] = cut
        begins[number, run.topics] = before + np.cumsum(cut) - cut
        before += int(cut.sum())
    return lengths, begins

"""Documents of equal score: how many there are, and what their order makes of a measure.

A run does not say in which order documents of equal score come; trec_eval decides by docno. Had the
documents other names, measures would have other values. Best and worst are exact for every measure that does
not fall when a better grade moves up; the expected value, over all orders being equally likely, is a mean
over random ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pooling.columns import IntVector, Vector
from pooling.runfile import Run, tie_groups

from .evaluate import means_of, values_of
from .hits import Hits, Setting, find_hits
from .index import QrelsIndex, Segments
from .measure import Measure

SAMPLE = 200  # random orders


@dataclass(frozen=True, eq=False, repr=False)
class TieReport:
    """What the ties of a run amount to, in topics that have qrels.

    documents: retrieved. tied: how many of them share their score with another one of their topic. groups:
    of tied documents. largest: documents in the largest group. scored, worst, best, expected: float64 of
    shape (measures,), means over all topics of the qrels: as trec_eval orders, and over the orders of tied
    documents. standard_error: of `expected`.
    """

    documents: int
    tied: int
    groups: int
    largest: int
    measures: tuple[Measure, ...]
    scored: Vector
    worst: Vector
    best: Vector
    expected: Vector
    standard_error: Vector


def tie_report(
    run: Run,
    index: QrelsIndex,
    measures: Sequence[Measure],
    setting: Setting | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
) -> TieReport:
    """Return how many documents are tied, and the best, worst and expected value of measures under their
    orders.

    sample: random orders for the expected value, at least 2; seed: of the random numbers, so that a report
    can be made again. A measure that can fall when a better grade moves up (infAP) has no exact bounds here:
    of the orders that were tried, best-first and worst-first among them, it gets the best and the worst.
    """
    hits = find_hits(run, index, setting or Setting())
    ties = _Ties(run, hits)
    rng = np.random.default_rng(seed)

    def means(ordered: Hits) -> Vector:
        return means_of(values_of(ordered, measures), measures)

    scored, drawn = means(hits), np.array([means(ties.shuffled(rng)) for _ in range(sample)])
    tried = np.vstack([scored, means(ties.best_first()), means(ties.worst_first()), drawn])
    sizes = ties.sizes[ties.sizes > 1]
    return TieReport(
        documents=int(ties.sizes.sum()),
        tied=int(sizes.sum()),
        groups=len(sizes),
        largest=int(sizes.max(initial=0)),
        measures=tuple(measures),
        scored=scored,
        worst=tried.min(axis=0),
        best=tried.max(axis=0),
        expected=drawn.mean(axis=0),
        standard_error=drawn.std(axis=0, ddof=1) / np.sqrt(sample),
    )


class _Ties:
    """The judged hits of a run by groups of equal score, in the order of the ranking.

    group: int64, shape (hits,), ascending. first: the first rank of each hit's group; size: how many
    documents it has. sizes: of all groups, with and without judged hits.
    """

    def __init__(self, run: Run, hits: Hits) -> None:
        starts = tie_groups(run, hits.profile)
        sizes = np.diff(np.append(starts, len(run.scores)))
        codes = np.array([hits.index.code_of_topic.get(topic, -1) for topic in run.topics], dtype=np.int64)
        topic_of_group = np.searchsorted(run.offsets, starts, side="right") - 1
        self.sizes = sizes[codes[topic_of_group] >= 0]
        first_row: IntVector = np.zeros(hits.topics, dtype=np.int64)
        first_row[codes[codes >= 0]] = run.offsets[:-1][codes >= 0]
        group = np.searchsorted(starts, first_row[hits.topic] + hits.rank - 1, side="right") - 1
        self.hits = hits
        self.first = starts[group] - first_row[hits.topic] + 1
        self.size = sizes[group]
        _, self.group = np.unique(hits.topic * (len(run.scores) + 1) + self.first, return_inverse=True)
        self._places = Segments(self.group, int(self.group.max(initial=-1)) + 1)
        size_of_group = self.size[self._places.offsets[:-1]]
        self._slots = np.repeat(np.arange(self._places.topics), size_of_group)
        self._slot_starts = np.cumsum(size_of_group) - size_of_group
        self._tied_slots = np.flatnonzero(size_of_group[self._slots] > 1)

    def best_first(self) -> Hits:
        """Good documents at the top of their group, judged bad ones at its end: nothing ranks them better."""
        return self._reordered(self._by_grade(np.argsort(-self.hits.grade, kind="stable"), good_first=True))

    def worst_first(self) -> Hits:
        """Judged bad documents at the top of their group, the best ones at its end."""
        return self._reordered(self._by_grade(np.argsort(self.hits.grade, kind="stable"), good_first=False))

    def shuffled(self, rng: np.random.Generator) -> Hits:
        """Every order of each group is as likely as any other."""
        keys = (self._slots + rng.random(len(self._slots)))[self._tied_slots]
        mixed = np.arange(len(self._slots))  # the slots of each group, in random order
        mixed[self._tied_slots] = self._tied_slots[np.argsort(keys)]
        start = self._slot_starts[self.group]
        return self._reordered(self.first + mixed[start + self._places.position - 1] - start)

    def _by_grade(self, order: IntVector, good_first: bool) -> IntVector:
        """Return ranks when each group's hits come in `order`, with the unjudged documents in the middle."""
        order = order[np.argsort(self.group[order], kind="stable")]
        upper = (self.hits.grade > 0) == good_first
        rank = np.empty(len(order), dtype=np.int64)
        position, count = self._places.position, self._places.counts[self.group]
        # those that do not go to the top take the last ranks of the group, in their order
        rank[order] = np.where(
            upper[order],
            self.first + position - 1,
            self.first + self.size - 1 - (count - position),
        )
        return rank

    def _reordered(self, rank: IntVector) -> Hits:
        hit_at = np.full(len(self._slots), -1)  # a slot holds one document
        hit_at[self._slot_starts[self.group] + rank - self.first] = np.arange(len(rank))
        order = hit_at[hit_at >= 0]
        hits = self.hits
        document = None if hits.document is None else hits.document[order]
        return replace(
            hits,
            topic=hits.topic[order],
            rank=rank[order],
            grade=hits.grade[order],
            document=document,
            _kept={},
        )

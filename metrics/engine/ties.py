"""Tied documents: how many there are, and the values of measures under other orders of them.

A run does not define the order of documents of equal score; trec_eval orders them by docno. Best and worst
values are exact for every measure that does not fall when a better grade moves up. The expected value, with
all orders equally likely, is a mean over random orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.engine.evaluate import aggregate, deepest_cutoff, means_of
from metrics.engine.hits import Hits, Settings, find_hits
from metrics.engine.qrels_index import QrelsIndex
from metrics.engine.segments import Segments
from metrics.measures.base import Measure
from pooling.arrays import IntVector, Matrix, Vector
from pooling.formats.run_order import tie_groups
from pooling.formats.runs import RunFile

SAMPLE = 200  # random orders
BLOCK = 1 << 20  # the most documents in a block of random orders
UNJUDGED = -1  # in place of a grade


@dataclass(frozen=True, eq=False, repr=False)
class TieReport:
    """The ties of a run in topics that have qrels, and their effect on measures.

    documents: the number retrieved. tied: how many of them share their score with another document of their
    topic. groups: of tied documents. largest: documents in the largest group. scored, worst, best, expected:
    float64 of shape (measures,), aggregated over all topics of the qrels: in trec_eval's order, and over the
    orders of tied documents. standard_error: of `expected`.
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
    run: RunFile,
    index: QrelsIndex,
    measures: Sequence[Measure],
    setting: Settings | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
) -> TieReport:
    """Return the tie report of a run: see `Ties.report`."""
    hits = find_hits(run, index, setting or Settings())
    ties = TiedHits(run, tie_groups(run, hits.profile), hits, deepest_cutoff(measures))
    return ties.report(measures, sample, seed)


class TiedHits:
    """The judged hits of a run by groups of equal score, in the order of the ranking.

    Groups entirely below `depth` are left out, as their order has no effect; so are the documents that an
    order of a group places below it.

    group: int64, shape (hits,), ascending. first: the first rank of each hit's group; size: its number of
    documents. sizes: of all groups, with and without judged hits.
    """

    def __init__(self, run: RunFile, starts: IntVector, hits: Hits, depth: float) -> None:
        """starts: see `tie_groups`. depth: the deepest rank that has an effect."""
        sizes = np.diff(np.append(starts, len(run.scores)))
        codes = hits.index.codes_of(run.topics)
        topic_of_group = np.searchsorted(run.offsets, starts, side="right") - 1
        self.sizes = sizes[codes[topic_of_group] >= 0]
        first_row: IntVector = np.zeros(hits.topics, dtype=np.int64)
        first_row[codes[codes >= 0]] = run.offsets[:-1][codes >= 0]
        group = np.searchsorted(starts, first_row[hits.topic] + hits.rank - 1, side="right") - 1
        first = starts[group] - first_row[hits.topic] + 1
        near = np.flatnonzero(first <= depth)
        self.all_hits, self.hits = hits, hits.take(near)
        self.first, self.size = first[near], sizes[group[near]]
        _, self.group = np.unique(self.hits.topic * (len(run.scores) + 1) + self.first, return_inverse=True)
        self._places = Segments(self.group, int(self.group.max(initial=-1)) + 1)
        # Slots: the ranks of the groups that contain a hit, in order, each for one document.
        first_hit = self._places.offsets[:-1]
        size_of_group = self.size[first_hit]
        slots = np.repeat(np.arange(self._places.topics), size_of_group)
        self._slot_starts = np.cumsum(size_of_group) - size_of_group
        self._ranks = self.first[first_hit][slots] + np.arange(len(slots)) - self._slot_starts[slots]
        self._tied = np.flatnonzero(size_of_group[slots] > 1)
        self._shallow = np.flatnonzero(self._ranks <= depth)
        self._group_of_slot = slots.astype(np.min_scalar_type(self._places.topics))  # 16 bits sort fastest
        self._topic_of_slot, self._depth = self.hits.topic[first_hit][slots], depth
        self._hit_at = self._hit_at_slots(self.hits.rank)

    def report(self, measures: Sequence[Measure], sample: int = SAMPLE, seed: int = 0) -> TieReport:
        """Return the best, worst and expected value of measures, none of which reads below the depth.

        sample: the number of random orders for the expected value, at least 2; seed: of the random numbers. A
        measure that can fall when a better grade moves up (infAP) has no exact bounds: it gets the best and
        the worst value of the orders that were tried, which include best-first and worst-first.
        """
        rng = np.random.default_rng(seed)
        ordered = [self.all_hits, self.best_first(), self.worst_first()]
        if all(measure.at_ranks for measure in measures):
            bounds = self._means_at_ranks(np.stack([self._grades(hits) for hits in ordered]), measures)
            drawn = self._drawn_at_ranks(measures, rng, sample)
        else:
            bounds = np.array([aggregate(hits, measures) for hits in ordered])
            drawn = np.array([aggregate(self.shuffled(rng), measures) for _ in range(sample)])
        tried = np.vstack([bounds, drawn])
        lower = np.array([measure.direction == "lower" for measure in measures])
        sizes = self.sizes[self.sizes > 1]
        return TieReport(
            documents=int(self.sizes.sum()),
            tied=int(sizes.sum()),
            groups=len(sizes),
            largest=int(sizes.max(initial=0)),
            measures=tuple(measures),
            scored=bounds[0],
            worst=np.where(lower, tried.max(axis=0), tried.min(axis=0)),
            best=np.where(lower, tried.min(axis=0), tried.max(axis=0)),
            expected=drawn.mean(axis=0),
            standard_error=drawn.std(axis=0, ddof=1) / np.sqrt(sample),
        )

    def _drawn_at_ranks(self, measures: Sequence[Measure], rng: np.random.Generator, sample: int) -> Matrix:
        """Return the means over random orders, shape (orders, measures), by the measures' `at_ranks`."""
        size = max(1, BLOCK // max(self.slots, self.hits.topics * int(self._depth)))
        blocks = (self.shuffled_grades(rng, min(size, sample - start)) for start in range(0, sample, size))
        return np.concatenate([self._means_at_ranks(grades, measures) for grades in blocks])

    def _means_at_ranks(self, grades: IntVector, measures: Sequence[Measure]) -> Matrix:
        """Return the means of rankings, shape (orders, measures). grades: see `shuffled_grades`."""
        means = np.empty((len(grades), len(measures)))
        for column, measure in enumerate(measures):
            assert measure.at_ranks
            values = measure.at_ranks(self.hits.index, grades[:, :, : measure.cutoff], self.hits.level(None))
            means[:, column] = means_of(values.T, [measure] * len(grades))
        return means

    def _grades(self, ordered: Hits) -> IntVector:
        """Return the grade at each rank down to the depth, shape (topics, depth)."""
        grades = np.full((ordered.topics, int(self._depth)), UNJUDGED)
        near = ordered.rank <= self._depth
        grades[ordered.topic[near], ordered.rank[near] - 1] = ordered.grade[near]
        return grades

    @property
    def slots(self) -> int:
        """The number of documents in groups that contain a judged hit."""
        return len(self._ranks)

    def best_first(self) -> Hits:
        """Return the best order: in each group relevant documents first, judged non-relevant ones last."""
        order = np.argsort(-self.hits.grade, kind="stable")
        return self._with(self._hit_at_slots(self._by_grade(order, good_first=True)))

    def worst_first(self) -> Hits:
        """Return the worst order: in each group judged non-relevant documents first, the best ones last."""
        order = np.argsort(self.hits.grade, kind="stable")
        return self._with(self._hit_at_slots(self._by_grade(order, good_first=False)))

    def shuffled(self, rng: np.random.Generator) -> Hits:
        """Return a random order; all orders of a group are equally likely."""
        drawn = rng.permutation(self._tied)
        back_in_groups = drawn[np.argsort(self._group_of_slot[drawn], kind="stable")]
        hit_at = self._hit_at.copy()
        hit_at[self._tied] = self._hit_at[back_in_groups]
        return self._with(hit_at)

    def shuffled_grades(self, rng: np.random.Generator, orders: int) -> IntVector:
        """Return the grades of the next random orders, the same as of repeated calls of `shuffled`.

        Shape (orders, topics, depth); UNJUDGED where there is no judged document.
        """
        drawn = np.array([rng.permutation(self._tied) for _ in range(orders)], dtype=np.int64)
        seen = np.flatnonzero(self._ranks[self._tied] <= self._depth)  # the other grades have no effect
        sorting = np.argsort(self._group_of_slot[drawn], axis=1, kind="stable")[:, seen]
        hit_at = self._hit_at[np.take_along_axis(drawn, sorting, axis=1)]
        slots = self._tied[seen]
        grades = np.tile(self._grades(self.hits), (orders, 1, 1))
        grades[:, self._topic_of_slot[slots], self._ranks[slots] - 1] = np.append(self.hits.grade, UNJUDGED)[
            hit_at
        ]  # -1, no hit, is the last one
        return grades

    def _by_grade(self, order: IntVector, good_first: bool) -> IntVector:
        """Return ranks when each group's hits come in `order`, with the unjudged documents in the middle."""
        order = order[np.argsort(self.group[order], kind="stable")]
        upper = (self.hits.grade > 0) == good_first
        rank = np.empty(len(order), dtype=np.int64)
        position, count = self._places.position, self._places.counts[self.group]
        # the hits that are not placed first take the last ranks of the group, in their order
        rank[order] = np.where(
            upper[order],
            self.first + position - 1,
            self.first + self.size - 1 - (count - position),
        )
        return rank

    def _hit_at_slots(self, rank: IntVector) -> IntVector:
        """Return the hit in every slot when the hits have these ranks, -1 for a slot without a hit."""
        hit_at = np.full(len(self._ranks), -1)
        hit_at[self._slot_starts[self.group] + rank - self.first] = np.arange(len(rank))
        return hit_at

    def _with(self, hit_at: IntVector) -> Hits:
        slots = self._shallow[hit_at[self._shallow] >= 0]
        return replace(self.hits.take(hit_at[slots]), rank=self._ranks[slots])

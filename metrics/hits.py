"""Judged hits: the judged documents that a run retrieved, with their ranks. Measures are computed on them."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from pooling.columns import Flags, IntVector, Vector, as_words
from pooling.runfile import Run, scoring_order

from .index import QrelsIndex, Segments

PROFILES = ("trec_eval-9", "trec_eval-10")


class Ranked(Segments):
    """Some judged hits, by topic and rank: the relevant ones, say. rank: int64, from 1, shape (hits,)."""

    def __init__(self, topic: IntVector, rank: IntVector, topics: int) -> None:
        super().__init__(topic, topics)
        self.rank = rank
        self._step = int(rank.max(initial=0)) + 1

    @cached_property
    def _keys(self) -> IntVector:
        found: IntVector = self.topic * self._step + self.rank
        return found

    def within(self, cutoff: int | IntVector) -> IntVector:
        """Return how many of them stand in each topic's top `cutoff` (one for all, or one a topic)."""
        cut = np.clip(cutoff, 0, self._step - 1)
        keys = np.arange(self.topics) * self._step + cut
        found: IntVector = np.searchsorted(self._keys, keys, side="right") - self.offsets[:-1]
        return found


class Relevant(Ranked):
    """The relevant hits. total: how many relevant documents each topic has (R), shape (topics,)."""

    def __init__(self, topic: IntVector, rank: IntVector, total: IntVector) -> None:
        super().__init__(topic, rank, len(total))
        self.total = total

    @cached_property
    def precision(self) -> Vector:
        """Precision at the rank of each relevant hit, shape (hits,)."""
        return self.position / self.rank

    @cached_property
    def running_precision(self) -> Vector:
        """The sum of precisions up to each relevant hit, shape (hits,)."""
        return self.running(self.precision)


class Hits:
    """The judged hits of one run, sorted by topic and rank, beside what the qrels know of each topic.

    index: the qrels; topics are its topics, whether or not the run has them. topic, rank, grade: int64 of
    shape (hits,); rank counts from 1; grade is negative for documents that were pooled but not judged.
    retrieved: how many documents of each topic the run has, shape (topics,). in_run: which topics the run
    has, shape (topics,). relevance: the grade from which a document is relevant, unless a measure names its
    own. document: which document of the index each hit is, shape (hits,); only measures of subtopics and of
    strata ask.
    """

    def __init__(
        self,
        index: QrelsIndex,
        topic: IntVector,
        rank: IntVector,
        grade: IntVector,
        retrieved: IntVector,
        in_run: Flags,
        profile: str = "trec_eval-9",
        relevance: int = 1,
        document: IntVector | None = None,
    ) -> None:
        self.index, self.profile, self.relevance = index, profile, relevance
        self.topic, self.rank, self.grade = topic, rank, grade
        self.document: IntVector = np.full(len(topic), -1) if document is None else document
        self.retrieved, self.in_run = retrieved, in_run
        self._relevant: dict[int, Relevant] = {}

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.index.topics)

    @cached_property
    def all(self) -> Ranked:
        """All judged hits, also those of negative grade."""
        return Ranked(self.topic, self.rank, self.topics)

    @cached_property
    def judged(self) -> Ranked:
        """The hits that have a grade of 0 or more."""
        return self.where(self.grade >= 0)

    def where(self, flags: Flags) -> Ranked:
        """Return the flagged hits."""
        chosen = np.flatnonzero(flags)
        return Ranked(self.topic[chosen], self.rank[chosen], self.topics)

    def level(self, rel: int | None) -> int:
        """Return the grade from which a document is relevant: the measure's own, or else the default."""
        return self.relevance if rel is None else rel

    def relevant(self, rel: int | None = None) -> Relevant:
        """Return the relevant hits."""
        level = self.level(rel)
        if level not in self._relevant:
            chosen = np.flatnonzero(self.grade >= max(level, 0))
            total = self.index.keep(("relevant", level), lambda: self.index.count(level))
            self._relevant[level] = Relevant(self.topic[chosen], self.rank[chosen], total)
        return self._relevant[level]

    def limited(self, depth: int | None = None, judged_only: bool = False) -> Hits:
        """Return the hits in the top `depth`, and, if only judged documents count, with ranks closed up."""
        kept, retrieved, rank = np.ones(len(self.rank), dtype=bool), self.retrieved, self.rank
        if depth is not None:
            kept, retrieved = kept & (rank <= depth), np.minimum(retrieved, depth)
        if judged_only:
            kept &= self.grade >= 0
        topic, rank, grade = self.topic[kept], rank[kept], self.grade[kept]
        if judged_only:
            segments = Segments(topic, self.topics)
            rank, retrieved = segments.position, segments.counts
        return Hits(
            self.index, topic, rank, grade, retrieved, self.in_run, self.profile, self.relevance,
            self.document[kept],
        )  # fmt: skip


def find_hits(run: Run, index: QrelsIndex, profile: str = "trec_eval-9", relevance: int = 1) -> Hits:
    """Return the judged hits of a run, ranked as the profile ranks; topics without qrels are left out."""
    if profile not in PROFILES:
        raise ValueError(f"expected the profile {' or '.join(PROFILES)}, found {profile!r}")
    code_of_topic = np.array([index.code_of_topic.get(topic, -1) for topic in run.topics], dtype=np.int64)
    rows, document = index.find(as_words(run.docnos), np.repeat(code_of_topic, run.lengths))
    place = np.empty(len(run.scores), dtype=np.int64)
    place[scoring_order(run, profile)] = np.arange(len(place))
    run_topic = np.searchsorted(run.offsets, rows, side="right") - 1
    rank = place[rows] - run.offsets[run_topic] + 1
    topic = code_of_topic[run_topic]
    order = np.lexsort((rank, topic))
    topic, rank, document = topic[order], rank[order], document[order]
    grade = index.grade_of_document[document]
    retrieved, in_run = _lengths(run, code_of_topic, len(index.topics))
    return Hits(index, topic, rank, grade, retrieved, in_run, profile, relevance, document)


def _lengths(run: Run, code_of_topic: IntVector, topics: int) -> tuple[IntVector, Flags]:
    """Return how many documents of each qrels topic the run has, and which topics it has."""
    known = code_of_topic >= 0
    retrieved: IntVector = np.zeros(topics, dtype=np.int64)
    in_run: Flags = np.zeros(topics, dtype=bool)
    retrieved[code_of_topic[known]] = run.lengths[known]
    in_run[code_of_topic[known]] = True
    return retrieved, in_run


_discounts: Vector = np.array([math.inf, *(math.log2(rank + 1) for rank in range(1, 1001))])


def discount(rank: IntVector) -> Vector:
    """Return log2(rank + 1), by the C library: `np.log2` differs from it in the last bit of some integers."""
    global _discounts
    needed = int(rank.max(initial=0)) + 1
    if needed > len(_discounts):
        longer = [math.log2(place + 1) for place in range(len(_discounts), 2 * needed)]
        _discounts = np.concatenate([_discounts, longer])
    return _discounts[rank]


def ratio(part: Vector | IntVector, whole: Vector | IntVector | float) -> Vector:
    """Return part / whole, 0 where the whole is 0."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), np.shape(part))
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole != 0)

"""Judged hits: the judged documents that a run retrieved, with their ranks. Measures use them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from metrics.engine.qrels_index import QrelsIndex
from metrics.engine.segments import Segments
from metrics.measures.base import BadMeasure
from pooling.arrays import Flags, IntVector, Vector, as_words
from pooling.formats.grouping import topic_of_rows
from pooling.formats.run_order import preference_places, scoring_places
from pooling.formats.runs import RunFile
from pooling.refusals import Refused

Result = TypeVar("Result")
PROFILES = ("trec_eval-9", "trec_eval-10")


class RankedHits(Segments):
    """Some judged hits, such as the relevant ones, by topic and rank. rank: int64, from 1, shape (hits,)."""

    def __init__(self, topic: IntVector, rank: IntVector, topics: int) -> None:
        super().__init__(topic, topics)
        self.rank = rank
        self._step = int(rank.max(initial=0)) + 1
        self._within: dict[int, IntVector] = {}

    @cached_property
    def _keys(self) -> IntVector:
        keys: IntVector = self.topic * self._step + self.rank
        return keys

    @cached_property
    def _first_keys(self) -> IntVector:
        return np.arange(self.topics) * self._step

    def within_each(self, topic: IntVector, cutoff: IntVector) -> IntVector:
        """Return the number of hits in the top `cutoff` of `topic`, for pairs of topics and cut-offs."""
        keys = topic * self._step + np.clip(cutoff, 0, self._step - 1)
        counts: IntVector = np.searchsorted(self._keys, keys, side="right") - self.offsets[topic]
        return counts

    def within(self, cutoff: int | IntVector) -> IntVector:
        """Return the number of hits in each topic's top `cutoff` (one for all topics, or one per topic)."""
        if not isinstance(cutoff, int):
            return self.within_each(np.arange(self.topics), cutoff)
        if cutoff not in self._within:
            keys = self._first_keys + min(cutoff, self._step - 1)
            self._within[cutoff] = np.searchsorted(self._keys, keys, side="right") - self.offsets[:-1]
        return self._within[cutoff]

    @cached_property
    def precision(self) -> Vector:
        """Precision at the rank of each hit, if these are the relevant hits; shape (hits,)."""
        return self.position / self.rank

    @cached_property
    def running_precision(self) -> Vector:
        """The sum of precisions up to each hit, if these are the relevant hits; shape (hits,)."""
        return self.running(self.precision)


class RelevantHits(RankedHits):
    """The relevant hits.

    total: the number of relevant documents of each topic (R), shape (topics,). among: the row of each
    relevant hit in all hits, shape (hits,).
    """

    def __init__(self, hits: Hits, level: int) -> None:
        self.among = np.flatnonzero(hits.grade >= level)
        super().__init__(hits.topic[self.among], hits.rank[self.among], hits.topics)
        self.total: IntVector = hits.index.cached(("relevant", level), lambda: hits.index.count(level))

    @cached_property
    def best_precision_from(self) -> Vector:
        """The highest precision at each relevant hit or a later one of its topic, shape (hits,)."""
        return self.highest_from(self.precision)


@dataclass(frozen=True)
class Settings:
    """The settings of scoring.

    relevance: the grade from which a document is relevant, for measures without a threshold of their own.
    collection: the number of documents in the collection, None if unknown. Raises ValueError for a profile
    that is not in PROFILES, Refused for a negative relevance.
    """

    profile: str = "trec_eval-9"
    relevance: int = 1
    collection: int | None = None

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise ValueError(f"expected the profile {' or '.join(PROFILES)}, found {self.profile!r}")
        if self.relevance < 0:
            raise Refused(f"expected a grade of 0 or more as threshold, found {self.relevance}")


@dataclass(eq=False, repr=False)
class Hits:
    """The judged hits of one run, sorted by topic and rank.

    index: the qrels; topics are its topics, whether or not the run has them. topic, rank, grade: int64 of
    shape (hits,); rank counts from 1; grade is negative for documents that were pooled but not judged.
    retrieved: the number of documents of each topic in the run, shape (topics,); 0 for a topic that the run
    lacks, in profile trec_eval-10 one unjudged document, as trec_eval 10 has it. in_run: which topics the run
    has, shape (topics,). groups: the hits in each judge's qrels, of the same topics, if the index has such
    parts. document: the row of the index's qrels of each hit, shape (hits,); None for stored runs.
    """

    index: QrelsIndex
    topic: IntVector
    rank: IntVector
    grade: IntVector
    retrieved: IntVector
    in_run: Flags
    setting: Settings = Settings()
    groups: tuple[Hits, ...] = ()
    document: IntVector | None = None
    _cache: dict[object, Any] = field(default_factory=dict, repr=False)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.index.topics)

    @property
    def profile(self) -> str:
        """The version of trec_eval that is followed: "trec_eval-9" or "trec_eval-10"."""
        return self.setting.profile

    @cached_property
    def all(self) -> RankedHits:
        """All judged hits, also those of negative grade."""
        return RankedHits(self.topic, self.rank, self.topics)

    @cached_property
    def judged(self) -> RankedHits:
        """The hits that have a grade of 0 or more."""
        return self.where(self.grade >= 0)

    def where(self, flags: Flags) -> RankedHits:
        """Return the flagged hits."""
        chosen = np.flatnonzero(flags)
        return RankedHits(self.topic[chosen], self.rank[chosen], self.topics)

    @property
    def documents(self) -> IntVector:
        """`document`, for measures that need it. Raises BadMeasure for stored runs, which do not have it."""
        if self.document is None:
            raise BadMeasure("measures of subtopics and strata need the text of a run; stored runs lack it")
        return self.document

    def level(self, rel: int | None) -> int:
        """Return the grade from which a document is relevant: the measure's own threshold, or the default."""
        return self.setting.relevance if rel is None else rel

    def relevant(self, rel: int | None = None) -> RelevantHits:
        """Return the relevant hits."""
        level = max(self.level(rel), 0)
        return self.cached(("relevant", level), lambda: RelevantHits(self, level))

    def above(self, relevant: RelevantHits) -> IntVector:
        """Return the number of judged hits, relevant or not, above each relevant hit, shape (relevant,)."""
        before = relevant.among - self.all.offsets[relevant.topic]
        if self.grade.min(initial=0) < 0:
            before = before - self.all.count_before(self.grade < 0)[relevant.among]
        return before

    def cached(self, key: object, make: Callable[[], Result]) -> Result:
        """Return the result of `make`, computed once per key: many measures need the same."""
        if key not in self._cache:
            self._cache[key] = make()
        result: Result = self._cache[key]
        return result

    @cached_property
    def all_retrieved(self) -> Hits:
        """All retrieved documents as hits: grade -1 if not pooled, -2 if pooled and not judged."""
        topic = np.repeat(np.arange(self.topics), self.retrieved)
        places = Segments(topic, self.topics)
        grade: IntVector = np.full(len(topic), -1)
        grade[places.offsets[self.topic] + self.rank - 1] = np.where(self.grade < 0, -2, self.grade)
        return replace(self, topic=topic, rank=places.position, grade=grade, document=None, _cache={})

    def take(self, rows: IntVector) -> Hits:
        """Return the hits of some rows, in this order; the figures of the topics stay the same."""
        document = None if self.document is None else self.document[rows]
        return replace(
            self,
            topic=self.topic[rows],
            rank=self.rank[rows],
            grade=self.grade[rows],
            document=document,
            _cache={},
        )

    def limited(self, depth: int | None = None, judged_only: bool = False) -> Hits:
        """Return the hits in the top `depth`; with judged_only, ranked among judged documents only."""
        selected, retrieved, rank = np.ones(len(self.rank), dtype=bool), self.retrieved, self.rank
        if depth is not None:
            selected, retrieved = selected & (rank <= depth), np.minimum(retrieved, depth)
        if judged_only:
            selected &= self.grade >= 0
        topic, rank, grade = self.topic[selected], rank[selected], self.grade[selected]
        document = None if self.document is None else self.document[selected]
        if judged_only:
            segments = Segments(topic, self.topics)
            rank, retrieved = segments.position, segments.counts
        groups = tuple(group.limited(depth, judged_only) for group in self.groups)
        return replace(
            self, topic=topic, rank=rank, grade=grade, retrieved=retrieved, groups=groups, document=document,
            _cache={},
        )  # fmt: skip


def find_hits(run: RunFile, index: QrelsIndex, setting: Settings | None = None) -> Hits:
    """Return the judged hits of a run, ranked by the profile's rules, without topics that have no qrels."""
    setting = setting or Settings()
    code_of_topic = index.codes_of(run.topics)
    retrieved, in_run = retrieved_by_topic(run.lengths, code_of_topic, len(index.topics), setting)

    def hits_in(part: QrelsIndex) -> Hits:
        pieces = [
            _hits_of_piece(piece, part, code_of_topic[first:], setting) for first, piece in run.pieces()
        ]
        topic, rank, document = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
        key = topic * (len(run.scores) + 1) + rank
        if (key[1:] < key[:-1]).any():
            sorting = np.argsort(key)
            topic, rank, document = topic[sorting], rank[sorting], document[sorting]
        grade = part.qrels.grades[document]
        return Hits(part, topic, rank, grade, retrieved, in_run, setting, document=document)

    return replace(hits_in(index), groups=tuple(hits_in(part) for part in index.parts))


def _hits_of_piece(
    piece: RunFile, index: QrelsIndex, codes: IntVector, setting: Settings
) -> tuple[IntVector, IntVector, IntVector]:
    """Return topic, rank and document of the judged hits of a few topics, whose positions are `codes`."""
    rows, document = index.find(as_words(piece.docnos), codes[piece.topic_of_rows()])
    places = preference_places if index.ties_ascending else scoring_places
    position = places(piece, setting.profile) if len(rows) else None
    topic = topic_of_rows(rows, piece.offsets)
    at = rows if position is None else position[rows]
    return codes[topic], at - (piece.offsets - 1)[topic], document


def retrieved_by_topic(
    lengths: IntVector, code_of_topic: IntVector, topics: int, setting: Settings
) -> tuple[IntVector, Flags]:
    """Return the number of documents of each qrels topic in a run, and which topics the run has.

    lengths, code_of_topic: of the run's topics; the code is -1 for a topic without qrels.
    """
    known = code_of_topic >= 0
    retrieved: IntVector = np.full(topics, 1 if setting.profile == "trec_eval-10" else 0)
    in_run: Flags = np.zeros(topics, dtype=bool)
    retrieved[code_of_topic[known]] = lengths[known]
    in_run[code_of_topic[known]] = True
    return retrieved, in_run


_discounts: Vector = np.array([math.inf, *(math.log2(rank + 1) for rank in range(1, 1001))])


def discount(rank: IntVector) -> Vector:
    """Return log2(rank + 1) by the C library: `np.log2` differs in the last bit for some integers."""
    global _discounts
    needed = int(rank.max(initial=0)) + 1
    if needed > len(_discounts):
        longer = [math.log2(index + 1) for index in range(len(_discounts), 2 * needed)]
        _discounts = np.concatenate([_discounts, longer])
    return _discounts[rank]


def log2(values: Vector) -> Vector:
    """Return log2 of positive values, by the C library."""
    return np.array([math.log2(value) for value in values.tolist()])


def ratio(part: Vector | IntVector, whole: Vector | IntVector | float) -> Vector:
    """Return part / whole, 0 where the whole is 0."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), np.shape(part))
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole != 0)

"""Qrels made ready for scoring: built once, used for any number of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from pooling.arrays import Flags, IntVector, Words, as_words
from pooling.formats.grouping import hashed
from pooling.formats.qrels import Qrels

Found = TypeVar("Found")


class QrelsIndex:
    """What the judges said, findable by topic and docno, and sorted by grade.

    topics: in byte order, as trec_eval visits them. offsets: int64, shape (topics + 1,). grades: int64, shape
    (judgments,), grouped by topic, descending inside a topic; negative grades are pooled but not judged.
    qrels: one row per document; the row is what `find` calls the document. judgments: all rows, where a
    document was judged in several iterations.
    """

    ties_ascending = False  # how documents of equal score are ranked, by docno
    prefers = False  # whether it holds preferences instead of grades

    def __init__(
        self, qrels: Qrels, parts: tuple[QrelsIndex, ...] = (), judgments: Qrels | None = None
    ) -> None:
        self.topics = tuple(sorted(qrels.topics, key=str.encode))
        self.code_of_topic = {topic: code for code, topic in enumerate(self.topics)}
        self.qrels, self.judgments = qrels, judgments or qrels
        self._codes = self.codes_of(qrels.topics)[qrels.topic_of_rows()]
        counts = np.bincount(self._codes, minlength=len(self.topics))
        self.offsets: IntVector = np.concatenate([[0], np.cumsum(counts)])
        self.parts = parts
        self._kept: dict[object, Any] = {}

    def codes_of(self, topics: tuple[str, ...]) -> IntVector:
        """Return each topic's place in `topics`, -1 for a topic without qrels."""
        return np.array([self.code_of_topic.get(topic, -1) for topic in topics], dtype=np.int64)

    @cached_property
    def _table(self) -> _HashTable:
        return _HashTable(self._codes, as_words(self.qrels.docnos), len(self.topics))

    @cached_property
    def grades(self) -> IntVector:
        """The grades by topic, and in a topic from the highest to the lowest."""
        return _descending(self._codes, self.qrels.grades)

    def find(self, docnos: Words, codes: IntVector) -> tuple[IntVector, IntVector]:
        """Return which rows are judged, ascending, and the documents (rows of `qrels`) that they hold.

        docnos: shape (rows, words). codes: each row's place in `topics`, -1 for a topic without qrels.
        """
        return self._table.find(docnos, codes)

    @cached_property
    def topic_of_grades(self) -> IntVector:
        """The place in `topics` of every row of `grades`."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def count(self, low: float, high: float = np.inf) -> IntVector:
        """Return how many documents of each topic have low <= grade < high; negative grades never count."""
        chosen = (self.qrels.grades >= max(low, 0)) & (self.qrels.grades < high)
        return np.bincount(self._codes[chosen], minlength=len(self.topics))

    def keep(self, key: object, make: Callable[[], Found]) -> Found:
        """Return what `make` gave the first time for this key: an ideal depends on the qrels alone."""
        if key not in self._kept:
            self._kept[key] = make()
        found: Found = self._kept[key]
        return found


def index_qrels(qrels: Qrels, by_iteration: bool = False) -> QrelsIndex:
    """Return the qrels ready for `evaluate`.

    by_iteration: keep the iterations (judges, subtopics) apart as well; as a whole, a document then has the
    highest of its grades.
    """
    if not by_iteration:
        return QrelsIndex(qrels)
    parts = tuple(
        QrelsIndex(_chosen(qrels, qrels.iterations == name)) for name in np.unique(qrels.iterations)
    )
    return QrelsIndex(_best(qrels), parts, qrels)


def index_subtopics(qrels: Qrels) -> QrelsIndex:
    """Return qrels whose iterations are subtopics ready for `evaluate`: a document is judged in each of them.

    As a whole, a document has the highest of its grades.
    """
    return QrelsIndex(_best(qrels), judgments=qrels)


def _best(qrels: Qrels) -> Qrels:
    """Return the row of the highest grade of every document."""
    best_first = np.lexsort((-qrels.grades, qrels.docnos, qrels.topic_of_rows()))
    docnos, topics = qrels.docnos[best_first], qrels.topic_of_rows()[best_first]
    first = np.concatenate([[True], (docnos[1:] != docnos[:-1]) | (topics[1:] != topics[:-1])])
    kept: Flags = np.zeros(len(docnos), dtype=bool)
    kept[best_first[first]] = True
    return _chosen(qrels, kept)


def _chosen(qrels: Qrels, rows: Flags) -> Qrels:
    """Return some rows of qrels, and all topics."""
    counts = np.bincount(qrels.topic_of_rows()[rows], minlength=len(qrels.topics))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return replace(
        qrels,
        offsets=offsets,
        docnos=qrels.docnos[rows],
        grades=qrels.grades[rows],
        iterations=qrels.iterations[rows],
    )


def _descending(codes: IntVector, grades: IntVector) -> IntVector:
    """Return the grades by topic, and in a topic from the highest to the lowest."""
    highest = int(grades.max(initial=0))
    span = highest - int(grades.min(initial=0)) + 1
    keys = codes * span + (highest - grades)
    narrow = keys.astype(np.min_scalar_type(int(keys.max(initial=0))))  # 16 bits sort fastest
    return highest - np.sort(narrow, kind="stable").astype(np.int64) % span


class _HashTable:
    """Judgments by topic and 64-bit hash: each topic has its own buckets, in which equal leading bits meet.

    A run's rows come topic by topic, so that what they are compared with is near in memory.
    """

    def __init__(self, codes: IntVector, docnos: Words, topics: int) -> None:
        hashes = hashed(docnos, codes)
        bits = np.ceil(np.log2(np.bincount(codes, minlength=topics) + 1)).astype(np.int64) + 1
        self.shift = (64 - bits).astype(np.uint64)
        self.first = np.concatenate([[0], np.cumsum(1 << bits)])[:-1]
        buckets = self._bucket(hashes, codes)
        order = np.argsort(buckets)
        self.low = hashes.astype(np.uint32)[order]  # the leading bits are in the bucket's number
        self.codes, self.docnos, self.documents = codes[order], docnos[order], order
        counts = np.bincount(buckets, minlength=int((1 << bits).sum()))
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def _bucket(self, hashes: Words, codes: IntVector) -> IntVector:
        found: IntVector = (hashes >> self.shift[codes]).astype(np.int64)
        found += self.first[codes]
        return found

    def find(self, docnos: Words, codes: IntVector) -> tuple[IntVector, IntVector]:
        """Return which rows are judged, ascending, and their documents."""
        hashes = hashed(docnos, codes)
        buckets = self._bucket(hashes, codes)
        places, ends = self.starts[buckets], self.starts[buckets + 1]
        found = np.full(len(hashes), -1, dtype=np.int32)
        rows = np.flatnonzero((places < ends) & (codes >= 0))
        low, places, ends = hashes.astype(np.uint32)[rows], places[rows], ends[rows]
        while len(rows):
            same = self.low[places] == low
            found[rows[same]] = places[same]
            places += np.int32(1)
            left = np.flatnonzero((places < ends) & ~same)
            rows, places, ends, low = rows[left], places[left], ends[left], low[left]
        matched = np.flatnonzero(found >= 0)
        judged = found[matched].astype(np.int64)
        if not self._equal(docnos[matched], codes[matched], judged):
            matched, judged = self._find_by_bytes(docnos, codes)
        return matched, self.documents[judged]

    def _equal(self, docnos: Words, codes: IntVector, places: IntVector) -> bool:
        """Compare rows with judgments byte by byte: equal hashes prove nothing."""
        theirs = np.take(self.docnos, places, axis=0)
        width = min(docnos.shape[1], theirs.shape[1])
        differ = (docnos[:, :width] != theirs[:, :width]).any() or (codes != self.codes[places]).any()
        return not (differ or docnos[:, width:].any() or theirs[:, width:].any())

    def _find_by_bytes(self, docnos: Words, codes: IntVector) -> tuple[IntVector, IntVector]:
        """Find rows without a hash, for the day on which two documents share one."""
        place_of = {key: place for place, key in enumerate(_keys(self.docnos, self.codes))}
        judged = np.array([place_of.get(key, -1) for key in _keys(docnos, codes)], dtype=np.int64)
        matched = np.flatnonzero(judged >= 0)
        return matched, judged[matched]


def _keys(docnos: Words, codes: IntVector) -> Iterator[tuple[int, bytes]]:
    for code, docno in zip(codes.tolist(), docnos, strict=True):
        yield code, docno.tobytes().rstrip(b"\0")

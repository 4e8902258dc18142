"""An index of qrels for scoring: built once, used for any number of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from pooling.arrays import Flags, IntVector, Words, as_words
from pooling.formats.grouping import hash_rows
from pooling.formats.qrels import Qrels

Result = TypeVar("Result")


class QrelsIndex:
    """Qrels that can be searched by topic and docno, with each topic's grades in descending order.

    topics: in byte order, as trec_eval visits them. offsets: int64, shape (topics + 1,). grades: int64, shape
    (judgments,), grouped by topic, descending inside a topic; a negative grade marks a document that was
    pooled but not judged. qrels: one row per document; `find` returns these rows. judgments: all rows, also
    where a document was judged in several iterations. parts: the index of each iteration, if they are kept
    apart.
    """

    ties_ascending = False  # whether documents of equal score are ranked by ascending docno
    prefers = False  # whether it contains preferences instead of grades

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
        self._cache: dict[object, Any] = {}

    def codes_of(self, topics: tuple[str, ...]) -> IntVector:
        """Return the position of each topic in `topics`, -1 for a topic without qrels."""
        return np.array([self.code_of_topic.get(topic, -1) for topic in topics], dtype=np.int64)

    @cached_property
    def _table(self) -> _HashTable:
        return _HashTable(self._codes, as_words(self.qrels.docnos), len(self.topics))

    @cached_property
    def grades(self) -> IntVector:
        """The grades by topic, descending inside a topic."""
        return _descending(self._codes, self.qrels.grades)

    def find(self, docnos: Words, codes: IntVector) -> tuple[IntVector, IntVector]:
        """Return which rows are judged, ascending, and the row of `qrels` of each of them.

        docnos: shape (rows, words). codes: the topic of each row as a position in `topics`, -1 for a topic
        without qrels.
        """
        return self._table.find(docnos, codes)

    @cached_property
    def topic_of_grades(self) -> IntVector:
        """The position in `topics` of every row of `grades`."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def count(self, low: float, high: float = np.inf) -> IntVector:
        """Return the number of documents of each topic with low <= grade < high, without negative grades."""
        chosen = (self.qrels.grades >= max(low, 0)) & (self.qrels.grades < high)
        return np.bincount(self._codes[chosen], minlength=len(self.topics))

    def cached(self, key: object, make: Callable[[], Result]) -> Result:
        """Return the result of `make`, computed once per key: an ideal ranking depends on the qrels alone."""
        if key not in self._cache:
            self._cache[key] = make()
        result: Result = self._cache[key]
        return result


def index_qrels(qrels: Qrels, by_iteration: bool = False) -> QrelsIndex:
    """Return an index of qrels.

    by_iteration: also index each iteration (judge) separately; in the index of all, a document then has its
    highest grade.
    """
    if not by_iteration:
        return QrelsIndex(qrels)
    parts = tuple(
        QrelsIndex(_selected(qrels, qrels.iterations == name)) for name in np.unique(qrels.iterations)
    )
    return QrelsIndex(_with_highest_grades(qrels), parts, qrels)


def index_subtopics(qrels: Qrels) -> QrelsIndex:
    """Return an index of qrels whose iterations are subtopics.

    In `qrels` a document has its highest grade; `judgments` has its grade for each subtopic.
    """
    return QrelsIndex(_with_highest_grades(qrels), judgments=qrels)


def _with_highest_grades(qrels: Qrels) -> Qrels:
    """Return qrels with one row per document, of its highest grade."""
    best_first = np.lexsort((-qrels.grades, qrels.docnos, qrels.topic_of_rows()))
    docnos, topics = qrels.docnos[best_first], qrels.topic_of_rows()[best_first]
    first = np.concatenate([[True], (docnos[1:] != docnos[:-1]) | (topics[1:] != topics[:-1])])
    best: Flags = np.zeros(len(docnos), dtype=bool)
    best[best_first[first]] = True
    return _selected(qrels, best)


def _selected(qrels: Qrels, rows: Flags) -> Qrels:
    """Return the flagged rows of qrels, with all topics."""
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
    """Return the grades by topic, descending inside a topic."""
    highest = int(grades.max(initial=0))
    span = highest - int(grades.min(initial=0)) + 1
    keys = codes * span + (highest - grades)
    narrow = keys.astype(np.min_scalar_type(int(keys.max(initial=0))))  # 16 bits sort fastest
    return highest - np.sort(narrow, kind="stable").astype(np.int64) % span


class _HashTable:
    """A hash table of judgments by topic and 64-bit hash of the docno.

    Each topic has its own buckets, selected by the leading bits of the hash. A run's rows are grouped by
    topic, so that the judgments they are compared with are close in memory.
    """

    def __init__(self, codes: IntVector, docnos: Words, topics: int) -> None:
        hashes = hash_rows(docnos, codes)
        bits = np.ceil(np.log2(np.bincount(codes, minlength=topics) + 1)).astype(np.int64) + 1
        self.shift = (64 - bits).astype(np.uint64)
        self.first = np.concatenate([[0], np.cumsum(1 << bits)])[:-1]
        buckets = self._bucket(hashes, codes)
        order = np.argsort(buckets)
        self.low = hashes.astype(np.uint32)[order]  # the leading bits select the bucket
        self.codes, self.docnos, self.documents = codes[order], docnos[order], order
        counts = np.bincount(buckets, minlength=int((1 << bits).sum()))
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def _bucket(self, hashes: Words, codes: IntVector) -> IntVector:
        buckets: IntVector = (hashes >> self.shift[codes]).astype(np.int64)
        buckets += self.first[codes]
        return buckets

    def find(self, docnos: Words, codes: IntVector) -> tuple[IntVector, IntVector]:
        """Return which rows are judged, ascending, and the row of the qrels of each."""
        hashes = hash_rows(docnos, codes)
        buckets = self._bucket(hashes, codes)
        places, ends = self.starts[buckets], self.starts[buckets + 1]
        match = np.full(len(hashes), -1, dtype=np.int32)
        rows = np.flatnonzero((places < ends) & (codes >= 0))
        low, places, ends = hashes.astype(np.uint32)[rows], places[rows], ends[rows]
        while len(rows):
            same = self.low[places] == low
            match[rows[same]] = places[same]
            places += np.int32(1)
            left = np.flatnonzero((places < ends) & ~same)
            rows, places, ends, low = rows[left], places[left], ends[left], low[left]
        matched = np.flatnonzero(match >= 0)
        judged = match[matched].astype(np.int64)
        if not self._equal(docnos[matched], codes[matched], judged):
            matched, judged = self._find_by_bytes(docnos, codes)
        return matched, self.documents[judged]

    def _equal(self, docnos: Words, codes: IntVector, places: IntVector) -> bool:
        """Tell whether rows and judgments are equal byte by byte: equal hashes are no proof."""
        theirs = np.take(self.docnos, places, axis=0)
        width = min(docnos.shape[1], theirs.shape[1])
        differ = (docnos[:, :width] != theirs[:, :width]).any() or (codes != self.codes[places]).any()
        return not (differ or docnos[:, width:].any() or theirs[:, width:].any())

    def _find_by_bytes(self, docnos: Words, codes: IntVector) -> tuple[IntVector, IntVector]:
        """Find rows by their bytes, for the case that two documents have the same hash."""
        index_of = {key: index for index, key in enumerate(_keys(self.docnos, self.codes))}
        judged = np.array([index_of.get(key, -1) for key in _keys(docnos, codes)], dtype=np.int64)
        matched = np.flatnonzero(judged >= 0)
        return matched, judged[matched]


def _keys(docnos: Words, codes: IntVector) -> Iterator[tuple[int, bytes]]:
    for code, docno in zip(codes.tolist(), docnos, strict=True):
        yield code, docno.tobytes().rstrip(b"\0")

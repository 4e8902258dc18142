"""Stored runs: scored from document numbers, without text, and under several sets of grades."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics.engine.hits import Hits, Settings, retrieved_by_topic
from metrics.engine.qrels_index import QrelsIndex
from pooling.arrays import IntVector
from pooling.formats.docnos import UNKNOWN, DocnoTable
from pooling.formats.grouping import topic_of_rows
from pooling.formats.qrels import LARGEST_GRADE, Qrels
from pooling.formats.run_order import scoring_order
from pooling.formats.runs import RunFile

Ids = npt.NDArray[np.int32]
NO_COLUMN = -1
DENSE_LIMIT = 256 << 20  # bytes: the largest table of topics x documents


@dataclass(frozen=True, eq=False, repr=False)
class StoredRun:
    """A stored run: the document numbers of each topic, in the scoring order of the profile.

    topics: of the run. offsets: int64, shape (topics + 1,). ids: int32, shape (rows,), from a DocnoTable.
    """

    profile: str
    topics: tuple[str, ...]
    offsets: IntVector
    ids: Ids

    def top(self, depth: int) -> StoredRun:
        """Return the run cut at the first `depth` documents of every topic."""
        lengths = np.minimum(np.diff(self.offsets), depth)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1] - offsets[:-1], lengths)
        return StoredRun(self.profile, self.topics, offsets, self.ids[rows])


def stored_run(run: RunFile, documents: DocnoTable, profile: str = "trec_eval-9") -> StoredRun:
    """Return a run for storage; new documents are added to the table."""
    ids = documents.add(run.docnos)[scoring_order(run, profile)]
    return StoredRun(profile, run.topics, run.offsets, ids.astype(np.int32))


class NumberedIndex:
    """An index of qrels for stored runs: (topic, document number) -> grade.

    Each document that is judged in any topic has a column. The grades are a table of topics x columns if it
    is within DENSE_LIMIT, else a sorted list. Both are far smaller than topics x documents.
    """

    def __init__(self, qrels: Qrels, documents: DocnoTable) -> None:
        self.index = QrelsIndex(qrels)
        codes = np.array([self.index.code_of_topic[topic] for topic in qrels.topics])[qrels.topic_of_rows()]
        ids = documents.find(qrels.docnos)
        known = ids != UNKNOWN  # a document without a number is in no stored run
        codes, ids, grades = codes[known], ids[known], qrels.grades[known]
        judged = np.unique(ids)
        self._column: Ids = np.full(len(documents) + 1, NO_COLUMN, dtype=np.int32)
        self._column[judged] = np.arange(len(judged))
        self._columns = max(len(judged), 1)
        keys = codes * self._columns + self._column[ids]
        self._table: npt.NDArray[np.signedinteger] | None = None
        kind = np.min_scalar_type(-int(np.abs(grades).max(initial=1)) - 2)
        if len(self.index.topics) * self._columns * kind.itemsize <= DENSE_LIMIT:
            self._unjudged = int(np.iinfo(kind).min)
            self._table = np.full(len(self.index.topics) * self._columns, self._unjudged, dtype=kind)
            self._table[keys] = grades
        else:
            order = np.argsort(keys)
            self._keys, self._grades = keys[order], grades[order]

    def find(self, run: StoredRun, codes: IntVector) -> tuple[IntVector, IntVector, IntVector]:
        """Return the judged rows of the run, ascending, with the topic's position in the run and the grade.

        codes: the position of each of the run's topics in `index.topics`, -1 for a topic without qrels.
        """
        # documents with numbers newer than this index are clipped to the last entry, NO_COLUMN
        column = np.take(self._column, run.ids, mode="clip")
        rows = np.flatnonzero(column >= 0)
        topic = topic_of_rows(rows, run.offsets)
        if (codes < 0).any():
            known = codes[topic] >= 0
            rows, topic = rows[known], topic[known]
        keys = (codes * self._columns)[topic] + column[rows]
        if self._table is not None:
            grades = self._table[keys]
            judged = np.flatnonzero(grades != self._unjudged)
            return rows[judged], topic[judged], grades[judged].astype(np.int64)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        judged = np.flatnonzero(self._keys[places] == keys)
        return rows[judged], topic[judged], self._grades[places[judged]]


def find_stored_hits(run: StoredRun, numbered: NumberedIndex, relevance: int = 1) -> Hits:
    """Return the judged hits of a stored run, equal to those that `find_hits` finds in the run's text."""
    index = numbered.index
    codes = np.array([index.code_of_topic.get(topic, -1) for topic in run.topics], dtype=np.int64)
    rows, run_topic, grade = numbered.find(run, codes)
    rank, topic = rows - (run.offsets - 1)[run_topic], codes[run_topic]
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(topic, kind="stable")
        topic, rank, grade = topic[order], rank[order], grade[order]
    setting = Settings(run.profile, relevance)
    retrieved, in_run = retrieved_by_topic(np.diff(run.offsets), codes, len(index.topics), setting)
    return Hits(index, topic, rank, grade, retrieved, in_run, setting)


NOT_JUDGED = -LARGEST_GRADE - 1  # a grade that marks an unjudged document


class RegradedQrels:
    """Documents with several sets of grades. qrels: the documents; its grades are ignored."""

    def __init__(self, qrels: Qrels, documents: DocnoTable) -> None:
        self.qrels = qrels
        self._rows = NumberedIndex(replace(qrels, grades=np.arange(len(qrels.grades))), documents)

    def hits_of(self, run: StoredRun, relevance: int) -> Hits:
        """Return the judged hits of a run, with rows of `qrels` in place of grades."""
        return find_stored_hits(run, self._rows, relevance)

    def index(self, grades: IntVector) -> QrelsIndex:
        """Return an index of the documents with these grades, any of which may be TAKEN_BACK."""
        return QrelsIndex(replace(self.qrels, grades=grades))


def regrade(hits: Hits, index: QrelsIndex) -> Hits:
    """Return the hits from `RegradedQrels.hits_of` with the grades of an index from the same object."""
    return replace(hits, index=index, grade=index.qrels.grades[hits.grade], _cache={})

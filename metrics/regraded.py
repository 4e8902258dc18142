"""The same documents under several sets of grades: hits are found once, and scored under each set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics.hits import Hits
from metrics.index import QrelsIndex
from metrics.stored import NumberedIndex, StoredRun, find_stored_hits
from pooling.arrays import IntVector
from pooling.formats.docnos import DocnoTable
from pooling.formats.qrels import LARGEST_GRADE, Qrels

TAKEN_BACK = -LARGEST_GRADE - 1  # a grade that marks an unjudged document


class Regraded:
    """Documents with several sets of grades. qrels: the documents; its grades are ignored."""

    def __init__(self, qrels: Qrels, documents: DocnoTable) -> None:
        self.qrels = qrels
        self._rows = NumberedIndex(replace(qrels, grades=np.arange(len(qrels.grades))), documents)

    def found(self, run: StoredRun, relevance: int) -> Hits:
        """Return the judged hits of a run, with rows of `qrels` in place of grades."""
        return find_stored_hits(run, self._rows, relevance)

    def index(self, grades: IntVector) -> QrelsIndex:
        """Return an index of the documents with these grades, any of which may be TAKEN_BACK."""
        return QrelsIndex(replace(self.qrels, grades=grades))


def regrade(found: Hits, index: QrelsIndex) -> Hits:
    """Return the hits from `Regraded.found` with the grades of an index from the same object."""
    return replace(found, index=index, grade=index.qrels.grades[found.grade], _cache={})

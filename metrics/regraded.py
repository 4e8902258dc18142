"""The same documents under other grades: what a run retrieved is found once, and scored under each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics.hits import Hits
from metrics.index import QrelsIndex
from metrics.stored import NumberedIndex, StoredRun, find_stored_hits
from pooling.arrays import IntVector
from pooling.docnos import DocnoTable
from pooling.formats.qrels import LARGEST, Qrels

TAKEN_BACK = -LARGEST - 1  # in place of a grade: the document is not judged


class Regraded:
    """Judged documents that are graded in several ways. qrels: the documents; its grades do not count."""

    def __init__(self, qrels: Qrels, documents: DocnoTable) -> None:
        self.qrels = qrels
        self._rows = NumberedIndex(replace(qrels, grades=np.arange(len(qrels.grades))), documents)

    def found(self, run: StoredRun, relevance: int) -> Hits:
        """Return the judged hits of a run without their grades: in their place stands the row of `qrels`."""
        return find_stored_hits(run, self._rows, relevance)

    def index(self, grades: IntVector) -> QrelsIndex:
        """Return the documents with these grades, of which any may be TAKEN_BACK."""
        return QrelsIndex(replace(self.qrels, grades=grades))


def regrade(found: Hits, index: QrelsIndex) -> Hits:
    """Return what `Regraded.found` gave, with the grades of one of the same object's indexes."""
    return replace(found, index=index, grade=index.qrels.grades[found.grade], _kept={})

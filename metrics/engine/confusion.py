"""Confusion matrices of an expert's and a system's classes, and macro and micro averages of their measures.

A row is the expert's class, a column the system's class. An undefined value (recall when nothing is relevant,
precision when nothing was retrieved) is None, never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.engine.hits import Hits
from metrics.measures.collection import collection_size, decisions
from pooling.arrays import IntVector
from pooling.notebook import markup
from pooling.plotting import Axes, plot_matrix


@dataclass(frozen=True)
class ContingencyTable:
    """A 2 x 2 table: relevant and retrieved (tp), retrieved only (fp), relevant only (fn), neither (tn)."""

    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def total(self) -> float:
        """The number of documents, N."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def precision(self) -> float | None:
        """tp / (tp + fp); None when nothing was retrieved."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """tp / (tp + fn), also called sensitivity; None when nothing is relevant."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def accuracy(self) -> float | None:
        """(tp + tn) / N; None without documents."""
        return _share(self.tp + self.tn, self.total)

    @property
    def error(self) -> float | None:
        """(fp + fn) / N; None without documents."""
        return _share(self.fp + self.fn, self.total)

    @property
    def fallout(self) -> float | None:
        """fp / (fp + tn); None when everything is relevant."""
        return _share(self.fp, self.fp + self.tn)

    @property
    def specificity(self) -> float | None:
        """tn / (fp + tn), which is 1 - fallout; None when everything is relevant."""
        return _share(self.tn, self.fp + self.tn)

    def f(self, beta: float = 1.0) -> float | None:
        """F_beta = (beta^2 + 1) P R / (beta^2 P + R); None when nothing is relevant and nothing retrieved.

        Computed from counts, which also gives 0 where precision and recall are 0.

        >>> ContingencyTable(tp=2, fp=3, fn=18, tn=0).f()
        0.16
        """
        square = beta * beta
        return _share((1.0 + square) * self.tp, (1.0 + square) * self.tp + square * self.fn + self.fp)

    def __add__(self, other: ContingencyTable) -> ContingencyTable:
        return ContingencyTable(
            self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn
        )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """The number of documents for each pair of expert's class and system's class.

    classes: in order. counts: int64 of shape (classes, classes), row = the expert's class, column = the
    system's.
    """

    classes: tuple[str, ...]
    counts: IntVector

    def table(self, name: str) -> ContingencyTable:
        """Return one class against all others. Raises ValueError for an unknown class."""
        index = self.classes.index(name)
        tp = int(self.counts[index, index])
        fp, fn = int(self.counts[:, index].sum()) - tp, int(self.counts[index].sum()) - tp
        return ContingencyTable(tp, fp, fn, int(self.counts.sum()) - tp - fp - fn)

    @property
    def tables(self) -> list[ContingencyTable]:
        """Every class against all others."""
        return [self.table(name) for name in self.classes]

    def plot(self, ax: Axes = None) -> Axes:
        """Draw the counts. Returns the axes; ax: axes to draw into. Needs matplotlib."""
        return plot_matrix(self.classes, self.counts, "system", "expert", ax=ax)

    def _repr_html_(self) -> str:
        rows = [
            [name, *map(str, counts)] for name, counts in zip(self.classes, self.counts.tolist(), strict=True)
        ]
        return markup(["expert / system", *self.classes], rows, f"{self.counts.sum():,} documents")

    @property
    def accuracy(self) -> float | None:
        """The share on the diagonal; None without documents."""
        return _share(int(np.trace(self.counts)), int(self.counts.sum()))


def contingency_tables(
    hits: Hits, cutoff: int | None, size: int | None, rel: int | None = None
) -> list[ContingencyTable]:
    """Return the table of each topic, with the top `cutoff` as the retrieved set (None: all retrieved).

    size: the number of documents in the collection; if None, `tn` is 0 and the measures that depend on it
    (accuracy, error, fallout, specificity) must not be used. Raises BadMeasure for a size below the number of
    retrieved or relevant documents.
    """
    counts = decisions(hits, cutoff, rel)
    known = 0 if size is None else collection_size(hits, size, rel)
    rows = zip(counts.tp.tolist(), counts.fp.tolist(), counts.fn.tolist(), strict=True)
    return [ContingencyTable(tp, fp, fn, known - tp - fp - fn if known else 0) for tp, fp, fn in rows]


def confusion_matrix(expert: Sequence[str], system: Sequence[str]) -> ConfusionMatrix:
    """Return the confusion matrix of two classifications of the same documents, in the same order.

    Classes are sorted. Raises ValueError when the two are not of the same length.
    """
    if len(expert) != len(system):
        raise ValueError(f"expected as many classes from both, found {len(expert)} and {len(system)}")
    classes = tuple(sorted({*expert, *system}))
    places = {name: index for index, name in enumerate(classes)}
    counts: IntVector = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for row, column in zip(expert, system, strict=True):
        counts[places[row], places[column]] += 1
    return ConfusionMatrix(classes, counts)


TableMeasure = Callable[[ContingencyTable], float | None]


def macro_average(tables: Sequence[ContingencyTable], score: TableMeasure) -> float | None:
    """Return the mean of the tables' scores; None when one of them is undefined, or there is none.

    >>> tables = [ContingencyTable(10, 10, 10, 970), ContingencyTable(90, 10, 10, 890)]
    >>> macro_average(tables, lambda table: table.precision)
    0.7
    """
    scores = [score(table) for table in tables]
    defined = [value for value in scores if value is not None]
    return sum(defined) / len(scores) if scores and len(defined) == len(scores) else None


def micro_average(tables: Sequence[ContingencyTable], score: TableMeasure) -> float | None:
    """Return the score of the sum of the tables; None when it is undefined."""
    return score(sum(tables, ContingencyTable(0, 0, 0, 0)))

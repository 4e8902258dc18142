"""Each class against all others, the averages of their scores, and the classes that are confused most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from metrics.engine.confusion import (
    ConfusionMatrix,
    ContingencyTable,
    TableMeasure,
    macro_average,
    micro_average,
)
from pooling.arrays import Flags, IntVector

BETAS = (0.5, 1.0, 2.0)
SCORES = ("precision", "recall", "f", "accuracy", "error", "fallout")


class ClassScores(NamedTuple):
    """A class, or an average, and its scores. Each score is None where it is undefined.

    table: None of a macro average, which has no counts.
    """

    name: str
    table: ContingencyTable | None
    precision: float | None
    recall: float | None
    f: float | None
    accuracy: float | None
    error: float | None
    fallout: float | None

    def row(self) -> dict[str, Any]:
        """Return the columns of a file, with all digits; "" where there is no value."""
        counts = {each: getattr(self.table, each) if self.table else "" for each in ("tp", "fp", "fn", "tn")}
        scores = {each: getattr(self, each) for each in SCORES}
        return {"class": self.name, **counts, **{k: "" if v is None else v for k, v in scores.items()}}


COLUMNS = ("class", "tp", "fp", "fn", "tn", *SCORES)


class Averages(NamedTuple):
    """Scores of classes. micro: of the sums of their counts. macro: means; None if one class has no value."""

    classes: list[ClassScores]
    micro: ClassScores
    macro: ClassScores

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [each.row() for each in (*self.classes, self.micro, self.macro)]


class ConfusedPair(NamedTuple):
    """Two classes that are confused. there: the first taken for the second. back: the reverse."""

    first: str
    second: str
    there: int
    back: int


def averages(tables: Mapping[str, ContingencyTable], beta: float = 1.0) -> Averages:
    """Return the scores of each class, and their micro and macro averages.

    tables: class -> the class against all others. beta: of F.

    >>> both = {"1": ContingencyTable(10, 10, 10, 970), "2": ContingencyTable(90, 10, 10, 890)}
    >>> found = averages(both)
    >>> found.macro.precision, round(found.micro.precision, 4)
    (0.7, 0.8333)
    """
    scored: dict[str, TableMeasure] = {
        "precision": lambda table: table.precision,
        "recall": lambda table: table.recall,
        "f": lambda table: table.f(beta),
        "accuracy": lambda table: table.accuracy,
        "error": lambda table: table.error,
        "fallout": lambda table: table.fallout,
    }
    each = list(tables.values())
    total = sum(each, ContingencyTable(0, 0, 0, 0))
    return Averages(
        [
            ClassScores(name, table, *(score(table) for score in scored.values()))
            for name, table in tables.items()
        ],
        ClassScores("micro", total, *(micro_average(each, score) for score in scored.values())),
        ClassScores("macro", None, *(macro_average(each, score) for score in scored.values())),
    )


def confused_pairs(matrix: ConfusionMatrix, limit: int = 5) -> list[ConfusedPair]:
    """Return the pairs of classes with most errors in both directions, most first; none without an error."""
    counts, names = matrix.counts, matrix.classes
    pairs = [
        ConfusedPair(names[a], names[b], int(counts[a, b]), int(counts[b, a]))
        for a in range(len(names))
        for b in range(a + 1, len(names))
        if counts[a, b] + counts[b, a]
    ]
    return sorted(pairs, key=lambda pair: -(pair.there + pair.back))[:limit]


def used_tables(matrix: ConfusionMatrix) -> dict[str, ContingencyTable]:
    """Return class -> the class against all others, without classes that neither of the two used."""
    used = matrix.counts.sum(axis=0) + matrix.counts.sum(axis=1)
    return {name: matrix.table(name) for name, n in zip(matrix.classes, used.tolist(), strict=True) if n}


def binary_tables(
    expert: Flags, system: Flags, group: IntVector, names: tuple[str, ...]
) -> dict[str, ContingencyTable]:
    """Return the table of each class that has a document, of classes that a document is in or not.

    expert, system: whether a document is in its class; group: the place of its class in `names`; all of
    shape (documents,).
    """
    tables = {}
    for place in np.unique(group).tolist():
        own = group == place
        yes, said = expert[own], system[own]
        tp, fp, fn = (int((a & b).sum()) for a, b in ((yes, said), (~yes, said), (yes, ~said)))
        tables[names[place]] = ContingencyTable(tp, fp, fn, len(yes) - tp - fp - fn)
    return tables

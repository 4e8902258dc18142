"""Labels of two judges for the same things, over all pairs of judges together: table and Cohen's kappa."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from assess.kappa.tables import Counts, confusion
from assess.kappa.two_judges import cohen

NO_PAIRS = "nothing has labels of two judges"
ONE_VALUE = "both judges gave the same value everywhere"
Value = TypeVar("Value")


class Kappa(NamedTuple):
    """Cohen's kappa of two judges over n labels; None with the reason where it is undefined."""

    value: float | None
    reason: str
    n: int


class DoubledLabels(NamedTuple, Generic[Value]):
    """Labels of two judges of the same things.

    values: of the rows and columns. table: rows the judge whose name comes first in the alphabet. same: on
    the diagonal. strict: kappa of one value against all others.
    """

    values: Sequence[Value]
    table: list[list[int]]
    same: int
    kappa: Kappa
    strict: Kappa

    @property
    def rows(self) -> list[tuple[Value, list[tuple[int, float, bool]], int]]:
        """Value, (count, share of the row, whether both say the same) of each column, and the sum."""
        rows = []
        for place, (value, counts) in enumerate(zip(self.values, self.table, strict=True)):
            total = sum(counts)
            cells = [(count, count / total if total else 0.0, place == at) for at, count in enumerate(counts)]
            rows.append((value, cells, total))
        return rows

    @property
    def plain(self) -> dict[str, Any]:
        """Pairs, equal ones among them, and both kappas as plain values, for files and the API."""
        return {
            "doubled": self.kappa.n,
            "same": self.same,
            "kappa": self.kappa.value,
            "kappa_reason": self.kappa.reason,
            "kappa_strict": self.strict.value,
            "kappa_strict_reason": self.strict.reason,
        }


def doubled_labels(
    given: Iterable[Mapping[str, Value]], values: Sequence[Value], strict: Value
) -> DoubledLabels[Value]:
    """Return how two judges agree. given: for each thing, judge -> label. strict: a value of its own.

    Of more than two judges of a thing, the two whose names come first count. Kappa is undefined without a
    pair, and where chance agreement is 1.

    >>> given = [{"ada": "yes", "ben": "yes"}, {"ada": "no", "ben": "yes"}]
    >>> found = doubled_labels(given, ["yes", "no"], "yes")
    >>> found.table, found.same, found.kappa.value
    ([[1, 0], [1, 0]], 1, 0.0)
    """
    pairs = [[values.index(own[judge]) for judge in sorted(own)[:2]] for own in given if len(own) > 1]
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    table, wanted = confusion(first, second, range(len(values))), values.index(strict)
    alone = confusion([one == wanted for one in first], [other == wanted for other in second], (0, 1))
    return DoubledLabels(values, table.tolist(), int(np.trace(table)), _kappa(table), _kappa(alone))


def _kappa(table: Counts) -> Kappa:
    value, n = cohen(table), int(table.sum())
    reason = "" if value is not None else ONE_VALUE if n else NO_PAIRS
    return Kappa(value, reason, n)

"""Two judges beside each other: their coefficients with intervals, who is stricter, and what that means."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assess.kappa.agreement import bounded, coefficients
from assess.kappa.bootstrap import Bootstrap, too_few
from assess.kappa.coefficient import NOT_ASKED, Coefficient, Floats
from assess.kappa.confusion import Counts, binarised, folded, pair_tables
from assess.kappa.labels import Labels
from assess.kappa.marginals import (
    Balance,
    Homogeneity,
    RarestGrade,
    balance,
    bhapkar,
    mcnemar,
    rarest_of_table,
    stuart_maxwell,
)
from assess.kappa.pairs import BINARY, OF_PAIRS, of_table
from assess.kappa.registry import REGISTRY
from assess.no_grade import NoGrade

OVERLAP = REGISTRY["overlap"]


class SideBySide(NamedTuple):
    """Two judges on the documents that both have judged.

    counts: their confusion matrix, rows the first judge's grades. coefficients: key -> coefficient, with
    intervals by drawing topics. lower, higher: documents to which the second judge gave a lower, a higher
    grade than the first. first_rate, second_rate: share of these documents that each found relevant, None
    without any. balance: of the two classes at the threshold. tests: that both give each grade equally often.
    rarest: their rarest grade.
    """

    first: str
    second: str
    counts: Counts
    coefficients: dict[str, Coefficient]
    lower: int
    higher: int
    first_rate: float | None
    second_rate: float | None
    balance: Balance | None
    tests: list[Homogeneity]
    rarest: RarestGrade | None

    @property
    def n(self) -> int:
        """How many documents both have judged."""
        return int(self.counts.sum())

    @property
    def paradox(self) -> bool:
        """Whether prevalence depresses kappa at the threshold, see `prevalence_paradox`."""
        percent, kappa = self.coefficients["percent-binary"], self.coefficients["cohen-binary"]
        return prevalence_paradox(percent.value, kappa.value)


def side_by_side(labels: Labels, first: str, second: str, bootstrap: Bootstrap | None = None) -> SideBySide:
    """Return everything about one pair of judges. Raises ValueError when a judge is unknown."""
    both = _shared(labels.of_judges([first, second]))
    tables = pair_tables(both, by_topic=True).counts.sum(axis=1)  # of the one pair, or of none
    counts = tables.sum(axis=0).astype(np.int64)
    binary = binarised(counts, labels.scale, labels.threshold)
    n, (first_relevant, second_relevant) = counts.sum(), (binary[1].sum(), binary[:, 1].sum())
    drawn = _with_intervals(of_table(counts, labels.scale, labels.threshold), labels, tables, bootstrap)
    (overlap,) = coefficients(both, [OVERLAP], bootstrap)
    keyed = {each.key: value for each, value in zip(OF_PAIRS, drawn, strict=True)}
    return SideBySide(
        first, second, counts, keyed | {OVERLAP.key: overlap},
        lower=int(np.tril(counts, -1).sum()), higher=int(np.triu(counts, 1).sum()),
        first_rate=float(first_relevant / n) if n else None,
        second_rate=float(second_relevant / n) if n else None,
        balance=balance(binary), tests=[mcnemar(binary), stuart_maxwell(counts), bhapkar(counts)],
        rarest=rarest_of_table(counts, labels.scale),
    )  # fmt: skip


def _shared(labels: Labels) -> Labels:
    """Return the labels without those of documents that one of the judges did not judge."""
    lone = (labels.places < 0).any(axis=0)
    return replace(labels, places=np.where(lone, NoGrade.MISSING, labels.places).astype(np.int8))


def _with_intervals(
    found: list[Coefficient], labels: Labels, tables: Floats, bootstrap: Bootstrap | None
) -> list[Coefficient]:
    """Return the coefficients of OF_PAIRS with intervals. tables: of each topic, (topics, grades, grades)."""
    seen = tables[tables.any(axis=(1, 2))]
    why = too_few(len(labels.topics), len(seen))
    if bootstrap is None or why:
        why = NOT_ASKED if bootstrap is None else why
        return [each._replace(no_interval=each.reason or why) for each in found]
    drawn = np.tensordot(bootstrap.weights(len(seen)), seen, axes=1)
    binary = folded(drawn, labels.cut)
    found_in_draws = (
        each.of_tables(binary if each.binary else drawn, BINARY if each.binary else labels.scale).value
        for each in OF_PAIRS
        if each.of_tables
    )
    return [
        bounded(each, values, bootstrap, len(seen))
        for each, values in zip(found, found_in_draws, strict=True)
    ]


# the prevalence paradox

HIGH, DEPRESSED = 0.8, 0.2


def prevalence_paradox(observed: float | None, kappa: float | None) -> bool:
    """Whether two classes are so uneven that kappa is low although judges nearly always agree.

    observed: percent agreement of two classes, HIGH or above; kappa: any coefficient of them that corrects
    for chance by how often each class was given. Were both classes equally frequent and judges equally
    strict, kappa would be 2 x observed - 1 (PABAK; Byrt, Bishop & Carlin 1993): here it is lower by DEPRESSED
    or more, which uneven classes alone can do. Feinstein & Cicchetti 1990. Both bounds are ours.

    >>> prevalence_paradox(0.944, -0.023), prevalence_paradox(0.944, 0.88), prevalence_paradox(None, None)
    (True, False, False)
    """
    if observed is None or kappa is None or observed < HIGH:
        return False
    return 2 * observed - 1 - kappa >= DEPRESSED

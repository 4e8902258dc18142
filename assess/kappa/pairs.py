"""Two judges at a time: coefficients of every pair, and everything about one pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.agreement import coefficients, with_interval
from assess.kappa.bootstrap import Bootstrap, why_no_interval
from assess.kappa.coefficient import (
    MIN_DOCUMENTS,
    NO_BOOTSTRAP,
    NO_OVERLAP,
    TOO_FEW,
    Coefficient,
    Floats,
    to_coefficient,
)
from assess.kappa.labels import Labels, checked_scale
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
from assess.kappa.registry import REGISTRY, Definition
from assess.kappa.tables import Counts, binarised, folded, pair_tables
from assess.kappa.weights import Values
from assess.no_grade import NoGrade

BINARY = (0, 1)
PAIR_COEFFICIENTS = tuple(each for each in REGISTRY.values() if each.from_tables)


class PairAgreement(NamedTuple):
    """Two judges on the documents that both have judged: confusion matrix and coefficients."""

    first: str
    second: str
    counts: Counts
    coefficients: list[Coefficient]


def mean_over_pairs(values: Sequence[float | None]) -> float | None:
    """Return the mean of the pairwise kappas, which is Light's kappa (1971).

    Pairs with an undefined kappa are left out; None when no pair has one.

    >>> mean_over_pairs([0.4, None, 0.6])
    0.5
    """
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def compare_pairs(
    labels: Labels, definitions: Iterable[Definition] = PAIR_COEFFICIENTS
) -> list[PairAgreement]:
    """Return every pair of judges with a document in common, and their coefficients."""
    tables = pair_tables(labels)
    of_every_pair = coefficients_of_tables(tables.counts[0], labels.scale, labels.threshold, definitions)
    return [
        PairAgreement(labels.judges[first], labels.judges[second], counts.astype(np.int64), own)
        for first, second, counts, own in zip(
            tables.first.tolist(), tables.second.tolist(), tables.counts[0], of_every_pair, strict=True
        )
    ]


def coefficients_of_table(
    counts: npt.ArrayLike,
    scale: Values,
    threshold: int | None = None,
    definitions: Iterable[Definition] = PAIR_COEFFICIENTS,
) -> list[Coefficient]:
    """Return the coefficients of two judges from their confusion matrix, shape (grades, grades)."""
    return coefficients_of_tables(np.asarray(counts, dtype=float)[None], scale, threshold, definitions)[0]


def coefficients_of_tables(
    counts: Floats,
    scale: Values,
    threshold: int | None = None,
    definitions: Iterable[Definition] = PAIR_COEFFICIENTS,
) -> list[list[Coefficient]]:
    """Return the coefficients of many pairs of judges: counts (pairs, grades, grades), a list per pair.

    definitions: entries of the registry; those without a formula for two judges are left out. threshold: for
    binary ones, the second grade of the scale unless given. Raises ValueError for tables that do not fit the
    scale.
    """
    grades, threshold = checked_scale(scale, threshold)
    if counts.ndim != 3 or counts.shape[1:] != (len(grades),) * 2:
        raise ValueError(f"expected tables of {len(grades)} x {len(grades)} grades, found {counts.shape}")
    binary = folded(counts, grades.index(threshold))
    chosen = [each for each in definitions if each.from_tables]
    columns = [
        list(
            _coefficient_of_tables(each, binary if each.binary else counts, BINARY if each.binary else grades)
        )
        for each in chosen
    ]
    return [[column[place] for column in columns] for place in range(len(counts))]


def _coefficient_of_tables(definition: Definition, tables: Floats, values: Values) -> Iterator[Coefficient]:
    assert definition.from_tables
    estimate, n = definition.from_tables(tables, values), tables.sum(axis=(-2, -1)).astype(int)
    errors = np.full(len(tables), np.nan)
    if definition.error_of_tables:
        errors = definition.error_of_tables(tables, values)
    for place, count in enumerate(n.tolist()):
        if count < MIN_DOCUMENTS:
            yield Coefficient(definition.name, None, TOO_FEW if count else NO_OVERLAP, count, judges=2)
        else:
            yield to_coefficient(
                definition.name, estimate.of(place), errors[place], definition.undefined, (count, 2)
            )


OVERLAP = REGISTRY["overlap"]


class PairReport(NamedTuple):
    """Two judges on the documents that both have judged.

    counts: their confusion matrix, rows the first judge's grades. coefficients: key -> coefficient, with
    bootstrap intervals over topics. lower, higher: number of documents with a lower, a higher grade of the
    second judge. first_rate, second_rate: share of these documents that each found relevant, None without
    any. balance: of the two classes at the threshold. tests: of marginal homogeneity. rarest: their rarest
    grade.
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
        """Number of documents that both have judged."""
        return int(self.counts.sum())

    @property
    def paradox(self) -> bool:
        """Whether prevalence depresses kappa at the threshold, see `prevalence_paradox`."""
        percent, kappa = self.coefficients["percent-binary"], self.coefficients["cohen-binary"]
        return prevalence_paradox(percent.value, kappa.value)


def pair_report(labels: Labels, first: str, second: str, bootstrap: Bootstrap | None = None) -> PairReport:
    """Return the report of one pair of judges. Raises ValueError when a judge is unknown."""
    both = _shared(labels.of_judges([first, second]))
    tables = pair_tables(both, by_topic=True).counts.sum(axis=1)  # of the one pair, or of none
    counts = tables.sum(axis=0).astype(np.int64)
    binary = binarised(counts, labels.scale, labels.threshold)
    n, (first_relevant, second_relevant) = counts.sum(), (binary[1].sum(), binary[:, 1].sum())
    drawn = _with_intervals(
        coefficients_of_table(counts, labels.scale, labels.threshold), labels, tables, bootstrap
    )
    (overlap,) = coefficients(both, [OVERLAP], bootstrap)
    keyed = {each.key: value for each, value in zip(PAIR_COEFFICIENTS, drawn, strict=True)}
    return PairReport(
        first, second, counts, keyed | {OVERLAP.key: overlap},
        lower=int(np.tril(counts, -1).sum()), higher=int(np.triu(counts, 1).sum()),
        first_rate=float(first_relevant / n) if n else None,
        second_rate=float(second_relevant / n) if n else None,
        balance=balance(binary), tests=[mcnemar(binary), stuart_maxwell(counts), bhapkar(counts)],
        rarest=rarest_of_table(counts, labels.scale),
    )  # fmt: skip


def _shared(labels: Labels) -> Labels:
    """Return the labels of the documents that both judges have judged; others become missing."""
    incomplete = (labels.places < 0).any(axis=0)
    return replace(labels, places=np.where(incomplete, NoGrade.MISSING, labels.places).astype(np.int8))


def _with_intervals(
    estimates: list[Coefficient], labels: Labels, tables: Floats, bootstrap: Bootstrap | None
) -> list[Coefficient]:
    """Return the coefficients with intervals.

    tables: of each topic, (topics, grades, grades).
    """
    drawable = tables[tables.any(axis=(1, 2))]
    why = why_no_interval(len(labels.topics), len(drawable))
    if bootstrap is None or why:
        why = NO_BOOTSTRAP if bootstrap is None else why
        return [each._replace(no_interval=each.reason or why) for each in estimates]
    drawn = np.tensordot(bootstrap.weights(len(drawable)), drawable, axes=1)
    binary = folded(drawn, labels.cut)
    values_in_draws = (
        each.from_tables(binary if each.binary else drawn, BINARY if each.binary else labels.scale).value
        for each in PAIR_COEFFICIENTS
        if each.from_tables
    )
    return [
        with_interval(each, values, bootstrap, len(drawable))
        for each, values in zip(estimates, values_in_draws, strict=True)
    ]


# the prevalence paradox

PARADOX_MIN_AGREEMENT, PARADOX_MIN_LOSS = 0.8, 0.2


def prevalence_paradox(observed: float | None, kappa: float | None) -> bool:
    """Whether kappa is low although judges nearly always agree, because the two classes are very uneven.

    observed: percent agreement of two classes, high in the paradox. kappa: any coefficient of them that is
    corrected for chance by class frequencies. With equally frequent classes and equally strict judges kappa
    would be 2 x observed - 1 (PABAK; Byrt, Bishop & Carlin 1993). In the paradox it is much lower, which
    uneven classes alone can cause. Feinstein & Cicchetti 1990. Both thresholds are our choice.

    >>> prevalence_paradox(0.944, -0.023), prevalence_paradox(0.944, 0.88), prevalence_paradox(None, None)
    (True, False, False)
    """
    if observed is None or kappa is None or observed < PARADOX_MIN_AGREEMENT:
        return False
    return 2 * observed - 1 - kappa >= PARADOX_MIN_LOSS

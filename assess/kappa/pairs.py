"""Coefficients of every pair of judges, over the documents that both judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import LEAST, NO_OVERLAP, TOO_FEW, Coefficient, Floats, boxed
from assess.kappa.confusion import Counts, folded, pair_tables
from assess.kappa.definition import Definition
from assess.kappa.labels import Labels, checked_scale
from assess.kappa.registry import REGISTRY
from assess.kappa.weights import Values

BINARY = (0, 1)
OF_PAIRS = tuple(each for each in REGISTRY.values() if each.of_tables)


class Comparison(NamedTuple):
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


def compare_pairs(labels: Labels, definitions: Iterable[Definition] = OF_PAIRS) -> list[Comparison]:
    """Return every pair of judges with a document in common, and their coefficients."""
    tables = pair_tables(labels)
    found = of_tables(tables.counts[0], labels.scale, labels.threshold, definitions)
    return [
        Comparison(labels.judges[first], labels.judges[second], counts.astype(np.int64), own)
        for first, second, counts, own in zip(
            tables.first.tolist(), tables.second.tolist(), tables.counts[0], found, strict=True
        )
    ]


def of_table(
    counts: npt.ArrayLike,
    scale: Values,
    threshold: int | None = None,
    definitions: Iterable[Definition] = OF_PAIRS,
) -> list[Coefficient]:
    """Return the coefficients of two judges from their confusion matrix, shape (grades, grades)."""
    return of_tables(np.asarray(counts, dtype=float)[None], scale, threshold, definitions)[0]


def of_tables(
    counts: Floats,
    scale: Values,
    threshold: int | None = None,
    definitions: Iterable[Definition] = OF_PAIRS,
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
    chosen = [each for each in definitions if each.of_tables]
    columns = [
        list(_of_tables(each, binary if each.binary else counts, BINARY if each.binary else grades))
        for each in chosen
    ]
    return [[column[place] for column in columns] for place in range(len(counts))]


def _of_tables(definition: Definition, tables: Floats, values: Values) -> Iterator[Coefficient]:
    assert definition.of_tables
    estimate, n = definition.of_tables(tables, values), tables.sum(axis=(-2, -1)).astype(int)
    errors = np.full(len(tables), np.nan)
    if definition.error_of_tables:
        errors = definition.error_of_tables(tables, values)
    for place, count in enumerate(n.tolist()):
        if count < LEAST:
            yield Coefficient(definition.name, None, TOO_FEW if count else NO_OVERLAP, count, judges=2)
        else:
            yield boxed(definition.name, estimate.of(place), errors[place], definition.undefined, (count, 2))

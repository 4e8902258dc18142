"""Two judges at a time: every pair, each over the documents that both judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import LEAST, NO_OVERLAP, TOO_FEW, Coefficient, Floats, boxed
from assess.kappa.confusion import Counts, folded, pair_tables
from assess.kappa.definition import Definition
from assess.kappa.labels import Item, Labels, checked_scale, labels_of_judges
from assess.kappa.registry import REGISTRY
from assess.kappa.two_judges import cohen, percent_agreement, scott
from assess.kappa.weights import Values

BINARY = (0, 1)
OF_PAIRS = tuple(each for each in REGISTRY.values() if each.of_tables)


class Pair(NamedTuple):
    """Two judges on the documents that both have judged. `counts` is their confusion matrix, n its sum."""

    first: str
    second: str
    n: int
    counts: Counts
    percent: float | None
    kappa: float | None
    pi: float | None


class Comparison(NamedTuple):
    """Two judges on the documents that both have judged, by any of the registry's coefficients."""

    first: str
    second: str
    counts: Counts
    coefficients: list[Coefficient]


def agreement_of_pairs(grades: Mapping[str, Mapping[Item, int]], scale: Sequence[int]) -> list[Pair]:
    """Return the agreement of every pair of judges, each over the documents that both judged.

    grades: judge -> document -> grade. Judges come in the order of the mapping; pairs that share nothing
    are there, with n = 0. Raises ValueError for a grade off the scale.
    """
    labels = labels_of_judges(grades, scale)
    tables = pair_tables(labels)
    shared = dict(
        zip(zip(tables.first.tolist(), tables.second.tolist(), strict=True), tables.counts[0], strict=True)
    )
    nothing = np.zeros((len(labels.scale),) * 2)
    pairs = []
    for first, second in combinations(range(len(labels.judges)), 2):
        counts = shared.get((first, second), nothing).astype(np.int64)
        named = labels.judges[first], labels.judges[second], int(counts.sum()), counts
        pairs.append(Pair(*named, percent_agreement(counts), cohen(counts), scott(counts)))
    return pairs


def mean_over_pairs(values: Sequence[float | None]) -> float | None:
    """Return the mean of the pairwise kappas: the rule for more than two judges (Light 1971).

    Pairs for which kappa is undefined take no part; None when no pair has one.

    >>> mean_over_pairs([0.4, None, 0.6])
    0.5
    """
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def compare_pairs(labels: Labels, definitions: Iterable[Definition] = OF_PAIRS) -> list[Comparison]:
    """Return every pair of judges who share a document, with their coefficients, each a value or a reason."""
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

    definitions: from the registry; one without `of_tables` is left out. threshold: for binary ones, the
    scale's second grade unless given. Raises ValueError for tables that do not fit the scale.
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

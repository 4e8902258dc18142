"""One judge against the others: who is unlike the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .coefficient import LEAST, Coefficient
from .confusion import Counts, label_totals, pair_tables
from .definition import Definition
from .labels import MISSING, Labels, Places
from .pairs import mean_over_pairs, of_tables
from .patterns import label_counts
from .registry import REGISTRY


class AgainstRest(NamedTuple):
    """One judge against the others.

    labels: how many the judge gave. majority: the coefficient of the judge and the others' most frequent
    grade, over the documents where there is one; ties: documents left out because the others were split.
    mean: the mean of the coefficient over the pairs with each other judge, `pairs` of them, None without any.
    """

    judge: str
    labels: int
    majority: Coefficient
    ties: int
    mean: float | None
    pairs: int


def against_the_rest(labels: Labels, definition: Definition = REGISTRY["cohen"]) -> list[AgainstRest]:
    """Return each judge beside the rest, in two ways, because they answer different questions.

    The majority of the *others* (the judge's own label never counts; where two grades are equally frequent
    there is none, and nothing is made up) tells who departs from what the others settled on. The mean over
    pairs needs no majority: it suits two judges, and judges who share few documents.
    definition: one of the registry that has `of_tables`. Raises ValueError for another.
    """
    if not definition.of_tables:
        raise ValueError(f"expected a coefficient of two judges, found {definition.key}")
    counts, grades = label_counts(labels), len(labels.scale)
    tables, ties = np.zeros((len(labels.judges), grades, grades)), []
    for row, own in enumerate(labels.places):
        here = np.flatnonzero(own >= 0)
        others = majority_without(own[here], counts[here])
        settled = others != MISSING
        cells = own[here][settled].astype(np.int64) * grades + others[settled]
        tables[row] = np.bincount(cells, minlength=grades**2).reshape(grades, grades)
        ties.append(int((~settled & (counts[here].sum(axis=1) > 1)).sum()))
    found = [own[0] for own in of_tables(tables, labels.scale, labels.threshold, [definition])]
    with_others = _values_of_pairs(labels, definition)
    given = label_totals(labels).sum(axis=1).tolist()
    return [
        AgainstRest(judge, n, majority, split, mean_over_pairs(values), len(values))
        for judge, n, majority, split, values in zip(
            labels.judges, given, found, ties, with_others, strict=True
        )
    ]


def majority_without(own: Places, counts: Counts) -> Places:
    """Return the others' most frequent grade, -1 where there are no others or no single one is.

    own: the judge's places on the scale, shape (items,). counts: all judges' labels, (items, grades).
    """
    others = counts.copy()
    others[np.arange(len(own)), own] -= 1
    most = others.max(axis=1, initial=0)
    single = (others == most[:, None]).sum(axis=1) == 1
    return np.where(single & (most > 0), others.argmax(axis=1), MISSING).astype(np.int8)


def _values_of_pairs(labels: Labels, definition: Definition) -> list[list[float]]:
    """Return each judge's defined coefficients with the others."""
    values: list[list[float]] = [[] for _ in labels.judges]
    tables = pair_tables(labels)
    found = of_tables(tables.counts[0], labels.scale, labels.threshold, [definition])
    for first, second, (coefficient,) in zip(
        tables.first.tolist(), tables.second.tolist(), found, strict=True
    ):
        if coefficient.value is not None and coefficient.n >= LEAST:
            values[first].append(coefficient.value)
            values[second].append(coefficient.value)
    return values

"""One judge against the others: who is unlike the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import LEAST, Coefficient, Floats
from assess.kappa.confusion import Counts, label_totals, pair_tables
from assess.kappa.definition import Definition
from assess.kappa.labels import Labels, Places
from assess.kappa.pairs import mean_over_pairs, of_tables
from assess.kappa.patterns import different_rows, label_counts
from assess.kappa.registry import REGISTRY
from assess.no_grade import NoGrade


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
    tables, ties = _beside_majorities(labels)
    found = [own[0] for own in of_tables(tables, labels.scale, labels.threshold, [definition])]
    with_others = _values_of_pairs(labels, definition)
    given = label_totals(labels).sum(axis=1).tolist()
    return [
        AgainstRest(judge, n, majority, split, mean_over_pairs(values), len(values))
        for judge, n, majority, split, values in zip(
            labels.judges, given, found, ties, with_others, strict=True
        )
    ]


def _beside_majorities(labels: Labels) -> tuple[Floats, list[int]]:
    """Return each judge's confusion matrix with the others' majority, and documents where these were split.

    What the others settled on is the same for all documents of one pattern and one grade of the judge.
    """
    different, pattern = different_rows(label_counts(labels))
    grades = len(labels.scale)
    own = np.tile(np.arange(grades, dtype=np.int8), len(different))
    counts = np.repeat(different, grades, axis=0)
    others = majority_without(own, counts)
    settled, several = others != NoGrade.MISSING, counts.sum(axis=1) > 1
    tables, ties = np.zeros((len(labels.judges), grades, grades)), []
    for table, places in zip(tables, labels.places, strict=True):
        here = places >= 0
        documents = np.bincount(pattern[here] * grades + places[here], minlength=len(own))
        np.add.at(table, (own[settled], others[settled]), documents[settled])
        ties.append(int(documents[several & ~settled].sum()))
    return tables, ties


def majority_without(own: Places, counts: Counts) -> Places:
    """Return the others' most frequent grade, -1 where there are no others or no single one is.

    own: the judge's places on the scale, shape (items,). counts: all judges' labels, (items, grades).
    """
    others = counts.copy()
    others[np.arange(len(own)), own] -= 1
    most = others.max(axis=1, initial=0)
    single = (others == most[:, None]).sum(axis=1) == 1
    return np.where(single & (most > 0), others.argmax(axis=1), NoGrade.MISSING).astype(np.int8)


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

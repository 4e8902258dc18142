"""Each judge against the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import MIN_DOCUMENTS, Coefficient, Floats
from assess.kappa.labels import Labels, Places
from assess.kappa.pairs import coefficients_of_tables, mean_over_pairs
from assess.kappa.registry import REGISTRY, Definition
from assess.kappa.tables import Counts, label_counts, label_totals, pair_tables, unique_rows
from assess.no_grade import NoGrade


class AgainstRest(NamedTuple):
    """One judge against the others.

    labels: number of the judge's labels. majority: the coefficient of the judge and the most frequent grade
    of the others, over the documents that have one; ties: number of documents left out because two grades
    were equally frequent. mean: the mean of the coefficient over the pairs with each other judge, `pairs` of
    them; None without any.
    """

    judge: str
    labels: int
    majority: Coefficient
    ties: int
    mean: float | None
    pairs: int


def against_the_rest(labels: Labels, definition: Definition = REGISTRY["cohen"]) -> list[AgainstRest]:
    """Return each judge compared with the others in two ways, because they answer different questions.

    The majority of the others (without the judge's own label; documents with a tie are left out) shows who
    departs from the common view. The mean over pairs needs no majority: it suits two judges, and judges with
    few common documents. definition: an entry of the registry for two judges. Raises ValueError for another.
    """
    if not definition.from_tables:
        raise ValueError(f"expected a coefficient of two judges, found {definition.key}")
    tables, ties = _beside_majorities(labels)
    coefficients = [
        own[0] for own in coefficients_of_tables(tables, labels.scale, labels.threshold, [definition])
    ]
    with_others = _values_of_pairs(labels, definition)
    given = label_totals(labels).sum(axis=1).tolist()
    return [
        AgainstRest(judge, n, majority, split, mean_over_pairs(values), len(values))
        for judge, n, majority, split, values in zip(
            labels.judges, given, coefficients, ties, with_others, strict=True
        )
    ]


def _beside_majorities(labels: Labels) -> tuple[Floats, list[int]]:
    """Return each judge's confusion matrix with the others' majority, and the number of documents with a tie.

    The majority of the others is the same for all documents with the same pattern and the same grade of the
    judge.
    """
    different, pattern = unique_rows(label_counts(labels))
    grades = len(labels.scale)
    own = np.tile(np.arange(grades, dtype=np.int8), len(different))
    counts = np.repeat(different, grades, axis=0)
    others = majority_without(own, counts)
    has_majority, several = others != NoGrade.MISSING, counts.sum(axis=1) > 1
    tables, ties = np.zeros((len(labels.judges), grades, grades)), []
    for table, places in zip(tables, labels.places, strict=True):
        here = places >= 0
        documents = np.bincount(pattern[here] * grades + places[here], minlength=len(own))
        np.add.at(table, (own[has_majority], others[has_majority]), documents[has_majority])
        ties.append(int(documents[several & ~has_majority].sum()))
    return tables, ties


def majority_without(own: Places, counts: Counts) -> Places:
    """Return the most frequent grade of the others, -1 where there are no others or there is a tie.

    own: the judge's places on the scale, shape (items,). counts: labels of all judges, (items, grades).
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
    coefficients = coefficients_of_tables(tables.counts[0], labels.scale, labels.threshold, [definition])
    for first, second, (coefficient,) in zip(
        tables.first.tolist(), tables.second.tolist(), coefficients, strict=True
    ):
        if coefficient.value is not None and coefficient.n >= MIN_DOCUMENTS:
            values[first].append(coefficient.value)
            values[second].append(coefficient.value)
    return values

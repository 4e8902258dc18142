"""How far judges agree. Every coefficient is a value, or None where it is undefined; never a bare nan."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Item = TypeVar("Item", bound=Hashable)


def confusion(first: Sequence[int], second: Sequence[int], scale: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the confusion matrix of two judges over the same documents, in the same order.

    scale: every grade that may be given, in order; grades that nobody used keep their row and column.
    Returns counts of shape (grades, grades): the row is the first judge's grade, the column the second's.
    Raises ValueError when the judges' lists differ in length or hold a grade off the scale.

    >>> confusion([0, 1, 1], [0, 0, 1], scale=[0, 1]).tolist()
    [[1, 0], [1, 1]]
    """
    place = {grade: index for index, grade in enumerate(scale)}
    counts = np.zeros((len(place), len(place)), dtype=np.int64)
    for one, other in zip(first, second, strict=True):
        if one not in place or other not in place:
            raise ValueError(f"expected grades of the scale {list(scale)}, found {one} and {other}")
        counts[place[one], place[other]] += 1
    return counts


def percent_agreement(counts: npt.NDArray[np.int64]) -> float | None:
    """Return the share of documents on which two judges gave the same grade, from their confusion matrix.

    None when they share no document.

    >>> percent_agreement(np.array([[300, 20], [10, 70]]))
    0.925
    """
    total = int(counts.sum())
    return float(np.trace(counts)) / total if total else None


def cohen(counts: npt.NDArray[np.int64]) -> float | None:
    """Cohen's kappa, unweighted: chance agreement from each judge's own grades (Cohen 1960).

    counts: confusion matrix of two judges, shape (grades, grades).
    None when they share no document, or when both gave one and the same grade throughout: chance alone
    could not disagree.

    >>> round(cohen(np.array([[300, 20], [10, 70]])), 5)
    0.77612
    """
    total = counts.sum()
    if not total:
        return None
    shares = counts / total
    return _beyond_chance(float(np.trace(shares)), float(shares.sum(axis=1) @ shares.sum(axis=0)))


def scott(counts: npt.NDArray[np.int64]) -> float | None:
    """Scott's pi: chance agreement from the pooled grades of both judges (Scott 1955).

    The kappa of Manning, Raghavan & Schuetze's textbook. Undefined (None) where Cohen's kappa is.

    >>> round(scott(np.array([[300, 20], [10, 70]])), 5)
    0.77591
    """
    total = counts.sum()
    if not total:
        return None
    shares = counts / total
    pooled = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    return _beyond_chance(float(np.trace(shares)), float(pooled @ pooled))


def _beyond_chance(observed: float, expected: float) -> float | None:
    return None if expected >= 1 else (observed - expected) / (1 - expected)


class Pair(NamedTuple):
    """Two judges on the documents that both have judged. `counts` is their confusion matrix, n its sum."""

    first: str
    second: str
    n: int
    counts: npt.NDArray[np.int64]
    percent: float | None
    kappa: float | None
    pi: float | None


def agreement_of_pairs(grades: Mapping[str, Mapping[Item, int]], scale: Sequence[int]) -> list[Pair]:
    """Return the agreement of every pair of judges, each over the documents that both judged.

    grades: judge -> document -> grade. Judges come in the order of the mapping.
    """
    pairs = []
    for first, second in combinations(grades, 2):
        shared = [item for item in grades[first] if item in grades[second]]
        counts = confusion(
            [grades[first][item] for item in shared], [grades[second][item] for item in shared], scale
        )
        pairs.append(
            Pair(first, second, len(shared), counts, percent_agreement(counts), cohen(counts), scott(counts))
        )
    return pairs


def mean_over_pairs(values: Sequence[float | None]) -> float | None:
    """Return the mean of the pairwise kappas: the rule for more than two judges (Light 1971).

    Pairs for which kappa is undefined take no part; None when no pair has one.

    >>> mean_over_pairs([0.4, None, 0.6])
    0.5
    """
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def binarised(counts: npt.NDArray[np.int64], scale: Sequence[int], threshold: int) -> npt.NDArray[np.int64]:
    """Fold a confusion matrix at the threshold: grades below it are one class, the others the second.

    >>> binarised(np.array([[4, 1, 0], [1, 2, 1], [0, 0, 3]]), scale=[0, 1, 2], threshold=1).tolist()
    [[4, 1], [1, 6]]
    """
    cut = sum(grade < threshold for grade in scale)
    return np.add.reduceat(np.add.reduceat(counts, [0, cut], axis=0), [0, cut], axis=1)

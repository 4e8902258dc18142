"""Confusion matrices: of two judges, and of every pair of judges at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import Floats
from assess.kappa.labels import Labels
from pooling.arrays import IntVector

BLOCK = 1 << 16  # labels that are counted at a time, so that their codes stay in a processor's cache

Counts = npt.NDArray[np.int64]


def confusion(first: Sequence[int], second: Sequence[int], scale: Sequence[int]) -> Counts:
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


def binarised(counts: Counts, scale: Sequence[int], threshold: int) -> Counts:
    """Fold a confusion matrix at the threshold: grades below it are one class, the others the second.

    >>> binarised(np.array([[4, 1, 0], [1, 2, 1], [0, 0, 3]]), scale=[0, 1, 2], threshold=1).tolist()
    [[4, 1], [1, 6]]
    """
    cut = sum(grade < threshold for grade in scale)
    return np.add.reduceat(np.add.reduceat(counts, [0, cut], axis=0), [0, cut], axis=1)


def folded(table: Floats, cut: int) -> Floats:
    """Fold the last two axes, both grades, at a place on the scale: (..., grades, grades) -> (..., 2, 2)."""
    grades = table.shape[-1]
    side = np.eye(2)[(np.arange(grades) >= cut).astype(int)]
    flat = table.reshape(*table.shape[:-2], grades**2) @ np.kron(side, side)
    return np.asarray(flat.reshape(*table.shape[:-2], 2, 2))


class PairTables(NamedTuple):
    """The confusion matrices of all pairs of judges who share an item.

    first, second: the judges, as rows of the labels, first < second; int64 of shape (pairs,).
    counts: float64 of shape (topics, pairs, grades, grades); one topic for all where they were not parted.
    """

    first: IntVector
    second: IntVector
    counts: Floats


def pair_tables(labels: Labels, by_topic: bool = False) -> PairTables:
    """Return the confusion matrix of every pair of judges who share an item, parted by topic or not."""
    firsts, seconds, counts = [], [], []
    for row in range(len(labels.judges) - 1):
        own = _beside_later(labels, row, by_topic)
        shared = np.flatnonzero(own.any(axis=(0, 2, 3)))
        firsts.append(np.full(len(shared), row))
        seconds.append(row + 1 + shared)
        counts.append(own[:, shared].astype(float))
    if not counts:
        return no_tables(labels, by_topic)
    return PairTables(np.concatenate(firsts), np.concatenate(seconds), np.concatenate(counts, axis=1))


def no_tables(labels: Labels, by_topic: bool = False) -> PairTables:
    """Return the tables of no pair at all, for whoever needs none."""
    none, grades = np.zeros(0, dtype=np.int64), len(labels.scale)
    return PairTables(none, none, np.zeros((len(labels.topics) if by_topic else 1, 0, grades, grades)))


def _beside_later(labels: Labels, row: int, by_topic: bool) -> Counts:
    """Count one judge's grades against those of every later judge, shape (topics, judges, grades, grades).

    Every label has a code for its topic, its judge and both grades, and codes are counted. (A product of
    one-hot matrices takes less time on an idle machine and many times as long on a busy one, whose processors
    it wants all at once.)
    """
    here = np.flatnonzero(labels.places[row] >= 0)
    later, grades = labels.places[row + 1 :], len(labels.scale)
    topics = len(labels.topics) if by_topic else 1
    cells = grades * (grades + 1)  # the later judge's: no label, then the grades
    others = np.arange(len(later))[:, None] * cells
    counts = np.zeros(topics * len(later) * cells, dtype=np.int64)
    step = max(1, BLOCK // len(later))
    for begin in range(0, len(here), step):
        items = here[begin : begin + step]
        own = labels.places[row, items].astype(np.int64) * (grades + 1) + 1
        if by_topic:
            own += labels.topic[items] * (len(later) * cells)
        codes = later.take(items, axis=1) + (own + others)
        counts += np.bincount(codes.ravel(), minlength=len(counts))
    return counts.reshape(topics, len(later), grades, grades + 1)[..., 1:]


def label_totals(labels: Labels) -> Counts:
    """Return how often each judge gave each grade, shape (judges, grades)."""
    return np.asarray(topic_totals(labels).sum(axis=0))


def label_shares(labels: Labels) -> Floats:
    """Return the same of items with labels of two judges or more, where each of m labels of an item counts
    1 / m; shape (topics, judges, grades)."""
    given = (labels.places >= 0).sum(axis=0)
    weights = np.where(given > 1, 1 / np.maximum(given, 1), 0.0)
    topics, cells = len(labels.topics), len(labels.scale) + 1  # no label, then the grades
    totals = np.zeros((topics, len(labels.judges), cells))
    of_topic = labels.topic * cells + 1
    for row, places in enumerate(labels.places):
        counted = np.bincount(of_topic + places, weights, minlength=topics * cells)
        totals[:, row] = counted.reshape(topics, cells)
    return totals[..., 1:]


def topic_totals(labels: Labels) -> Counts:
    """Return how often each judge gave each grade on each topic, shape (topics, judges, grades)."""
    topics, cells = len(labels.topics), len(labels.scale) + 1  # no label, then the grades
    totals = np.zeros((topics, len(labels.judges), cells), dtype=np.int64)
    of_topic = labels.topic * cells + 1
    for row, places in enumerate(labels.places):
        totals[:, row] = np.bincount(of_topic + places, minlength=topics * cells).reshape(topics, cells)
    return totals[..., 1:]

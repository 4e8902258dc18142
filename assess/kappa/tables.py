"""Counts of labels: confusion matrices of pairs of judges, and patterns of labels on an item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import Floats
from assess.kappa.labels import Labels
from pooling.arrays import IntVector

LABELS_PER_BLOCK = 1 << 16  # labels counted at a time, so that their codes fit into a processor's cache

Counts = npt.NDArray[np.int64]


def confusion(first: Sequence[int], second: Sequence[int], scale: Sequence[int]) -> Counts:
    """Return the confusion matrix of two judges over the same documents, in the same order.

    scale: all grades, ascending; unused grades have their row and column. Returns counts of shape (grades,
    grades): row = first judge's grade, column = second judge's. Raises ValueError when the lists differ in
    length or contain a grade that is not on the scale.

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
    """The confusion matrices of all pairs of judges who have an item in common.

    first, second: row numbers of the judges in the labels, first < second; int64 of shape (pairs,). counts:
    float64 of shape (topics, pairs, grades, grades); with one entry for all topics where they are not
    separated.
    """

    first: IntVector
    second: IntVector
    counts: Floats


def pair_tables(labels: Labels, by_topic: bool = False) -> PairTables:
    """Return the confusion matrix of every pair of judges with an item in common, by topic or over all."""
    firsts, seconds, counts = [], [], []
    for row in range(len(labels.judges) - 1):
        own = _beside_later(labels, row, by_topic)
        shared = np.flatnonzero(own.any(axis=(0, 2, 3)))
        firsts.append(np.full(len(shared), row))
        seconds.append(row + 1 + shared)
        counts.append(own[:, shared].astype(float))
    if not counts:
        return empty_tables(labels, by_topic)
    return PairTables(np.concatenate(firsts), np.concatenate(seconds), np.concatenate(counts, axis=1))


def empty_tables(labels: Labels, by_topic: bool = False) -> PairTables:
    """Return tables of zero pairs, for coefficients that need none."""
    none, grades = np.zeros(0, dtype=np.int64), len(labels.scale)
    return PairTables(none, none, np.zeros((len(labels.topics) if by_topic else 1, 0, grades, grades)))


def _beside_later(labels: Labels, row: int, by_topic: bool) -> Counts:
    """Count one judge's grades against those of every later judge, shape (topics, judges, grades, grades).

    Every label is encoded as a number for topic, judge and both grades, and the codes are counted. A product
    of one-hot matrices is faster on an idle machine and many times slower on a busy one, because it uses all
    processors.
    """
    here = np.flatnonzero(labels.places[row] >= 0)
    later, grades = labels.places[row + 1 :], len(labels.scale)
    topics = len(labels.topics) if by_topic else 1
    cells = grades * (grades + 1)  # of the later judge: no label, then the grades
    others = np.arange(len(later))[:, None] * cells
    counts = np.zeros(topics * len(later) * cells, dtype=np.int64)
    step = max(1, LABELS_PER_BLOCK // len(later))
    for begin in range(0, len(here), step):
        items = here[begin : begin + step]
        own = labels.places[row, items].astype(np.int64) * (grades + 1) + 1
        if by_topic:
            own += labels.topic[items] * (len(later) * cells)
        codes = later.take(items, axis=1) + (own + others)
        counts += np.bincount(codes.ravel(), minlength=len(counts))
    return counts.reshape(topics, len(later), grades, grades + 1)[..., 1:]


def label_totals(labels: Labels) -> Counts:
    """Return the number of labels of each judge and grade, shape (judges, grades)."""
    return np.asarray(topic_totals(labels).sum(axis=0))


def label_shares(labels: Labels) -> Floats:
    """Return label counts by topic, judge and grade where each of an item's m labels counts 1 / m.

    Only items with labels of two or more judges count. Shape (topics, judges, grades).
    """
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
    """Return the number of labels of each topic, judge and grade, shape (topics, judges, grades)."""
    topics, cells = len(labels.topics), len(labels.scale) + 1  # no label, then the grades
    totals = np.zeros((topics, len(labels.judges), cells), dtype=np.int64)
    of_topic = labels.topic * cells + 1
    for row, places in enumerate(labels.places):
        totals[:, row] = np.bincount(of_topic + places, minlength=topics * cells).reshape(topics, cells)
    return totals[..., 1:]


MAX_COUNTED_CODES = 1 << 22  # largest code that is counted in one array; larger codes are sorted


class Patterns(NamedTuple):
    """The different rows of label counts, and the number of items by topic and row.

    counts: int64 of shape (patterns, grades), each with at least one label. topic, pattern, items: int64 of
    shape (rows,): number of items of a topic with a pattern; rows ascend by topic.
    """

    counts: Counts
    topic: IntVector
    pattern: IntVector
    items: IntVector

    @property
    def total(self) -> Floats:
        """Number of items with each pattern, shape (patterns,)."""
        return np.bincount(self.pattern, self.items, minlength=len(self.counts)).astype(float)

    def of_topics(self, begin: int, end: int) -> Patterns:
        """Return the patterns of a range of topics, from `begin` to before `end`. Some may have no items."""
        rows = slice(*np.searchsorted(self.topic, [begin, end]).tolist())
        return Patterns(self.counts, self.topic[rows] - begin, self.pattern[rows], self.items[rows])

    def by_topic(self, topics: int) -> Floats:
        """Return the number of items by topic and pattern, shape (topics, patterns)."""
        items = np.zeros((topics, len(self.counts)))
        items[self.topic, self.pattern] = self.items
        return items

    def summed(self, figures: Floats, topics: int) -> Floats:
        """Sum figures of patterns over items: (patterns, n) -> (topics, n)."""
        step = max(1, MAX_COUNTED_CODES // max(1, len(figures)))
        parts = [
            self.of_topics(begin, begin + step).by_topic(min(step, topics - begin)) @ figures
            for begin in range(0, topics, step)
        ]
        return np.concatenate(parts)


def patterns_of(labels: Labels) -> Patterns:
    """Return the patterns of all items with a label."""
    counts = label_counts(labels)
    given = counts.sum(axis=1) > 0
    different, own = unique_rows(counts[given])
    codes, row = _numbered(labels.topic[given] * len(different) + own, len(labels.topics) * len(different))
    topic, pattern = np.divmod(codes, max(1, len(different)))
    return Patterns(different, topic, pattern, np.bincount(row))


def label_counts(labels: Labels) -> Counts:
    """Return the number of labels of each item and grade, shape (items, grades)."""
    narrow = np.int8 if len(labels.judges) < 128 else np.int64
    flags = (labels.places == place for place in range(len(labels.scale)))
    return np.stack([flag.view(np.int8).sum(axis=0, dtype=narrow) for flag in flags]).astype(np.int64).T


def unique_rows(counts: Counts) -> tuple[Counts, IntVector]:
    """Return the different rows of label counts, and for each item the number of its row.

    Rows ascend from the last grade on.
    """
    base, grades = int(counts.sum(axis=1).max(initial=0)) + 1, counts.shape[1]
    if base**grades > 1 << 62:
        return _unique_long_rows(counts)
    powers = base ** np.arange(grades)
    codes, own = _numbered(counts @ powers, base**grades)
    return codes[:, None] // powers % base, own


def _numbered(codes: IntVector, size: int) -> tuple[IntVector, IntVector]:
    """Return the different codes, ascending, and each code's place among them. size: above all codes."""
    if size > MAX_COUNTED_CODES:
        return np.unique(codes, return_inverse=True)
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _unique_long_rows(counts: Counts) -> tuple[Counts, IntVector]:
    """Return the same for so many judges and grades that a row has no code of 64 bits."""
    different, own = np.unique(counts, axis=0, return_inverse=True)
    return different, own.ravel()

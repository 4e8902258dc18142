"""Patterns: items with the same number of labels of each grade are counted together.

A hundred thousand items with ten labels on four grades have at most a thousand patterns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import Floats
from assess.kappa.confusion import Counts
from assess.kappa.labels import Labels
from pooling.arrays import IntVector

DENSE = 1 << 22  # largest code that is counted in one array; larger codes are sorted


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
        step = max(1, DENSE // max(1, len(figures)))
        parts = [
            self.of_topics(begin, begin + step).by_topic(min(step, topics - begin)) @ figures
            for begin in range(0, topics, step)
        ]
        return np.concatenate(parts)


def patterns_of(labels: Labels) -> Patterns:
    """Return the patterns of all items with a label."""
    counts = label_counts(labels)
    given = counts.sum(axis=1) > 0
    different, own = different_rows(counts[given])
    found, row = _numbered(labels.topic[given] * len(different) + own, len(labels.topics) * len(different))
    topic, pattern = np.divmod(found, max(1, len(different)))
    return Patterns(different, topic, pattern, np.bincount(row))


def label_counts(labels: Labels) -> Counts:
    """Return the number of labels of each item and grade, shape (items, grades)."""
    narrow = np.int8 if len(labels.judges) < 128 else np.int64
    flags = (labels.places == place for place in range(len(labels.scale)))
    return np.stack([flag.view(np.int8).sum(axis=0, dtype=narrow) for flag in flags]).astype(np.int64).T


def different_rows(counts: Counts) -> tuple[Counts, IntVector]:
    """Return the different rows of label counts, and for each item the number of its row.

    Rows ascend from the last grade on.
    """
    base, grades = int(counts.sum(axis=1).max(initial=0)) + 1, counts.shape[1]
    if base**grades > 1 << 62:
        return _of_rows(counts)
    powers = base ** np.arange(grades)
    found, own = _numbered(counts @ powers, base**grades)
    return found[:, None] // powers % base, own


def _numbered(codes: IntVector, size: int) -> tuple[IntVector, IntVector]:
    """Return the different codes, ascending, and each code's place among them. size: above all codes."""
    if size > DENSE:
        return np.unique(codes, return_inverse=True)
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _of_rows(counts: Counts) -> tuple[Counts, IntVector]:
    """Return the same for so many judges and grades that a row has no code of 64 bits."""
    different, own = np.unique(counts, axis=0, return_inverse=True)
    return different, own.ravel()

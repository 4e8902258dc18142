"""Items on which the same grades were given equally often are one pattern: what is left to add up is small.

A hundred thousand items with ten labels on four grades have at most a thousand patterns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import Floats
from assess.kappa.confusion import Counts
from assess.kappa.labels import Labels
from pooling.arrays import IntVector

DENSE = 1 << 22  # codes that are counted in one array; more are sorted


class Patterns(NamedTuple):
    """The different rows of label counts, and how many items of which topic have each.

    counts: int64 of shape (patterns, grades), each with one label at least. topic, pattern, items: int64 of
    shape (rows,): so many items of that topic have that pattern; rows rise by topic.
    """

    counts: Counts
    topic: IntVector
    pattern: IntVector
    items: IntVector

    @property
    def total(self) -> Floats:
        """How many items have each pattern, shape (patterns,)."""
        return np.bincount(self.pattern, self.items, minlength=len(self.counts)).astype(float)

    def of_topics(self, begin: int, end: int) -> Patterns:
        """Return the patterns of some topics, from `begin` and before `end`; not all of them have items."""
        rows = slice(*np.searchsorted(self.topic, [begin, end]).tolist())
        return Patterns(self.counts, self.topic[rows] - begin, self.pattern[rows], self.items[rows])

    def by_topic(self, topics: int) -> Floats:
        """Return how many items of each topic have each pattern, shape (topics, patterns)."""
        items = np.zeros((topics, len(self.counts)))
        items[self.topic, self.pattern] = self.items
        return items

    def summed(self, figures: Floats, topics: int) -> Floats:
        """Add up figures of patterns over items: (patterns, n) -> (topics, n)."""
        step = max(1, DENSE // max(1, len(figures)))
        parts = [
            self.of_topics(begin, begin + step).by_topic(min(step, topics - begin)) @ figures
            for begin in range(0, topics, step)
        ]
        return np.concatenate(parts)


def patterns_of(labels: Labels) -> Patterns:
    """Return the patterns of all items that have a label."""
    counts = label_counts(labels)
    given = counts.sum(axis=1) > 0
    different, own = different_rows(counts[given])
    found, row = _numbered(labels.topic[given] * len(different) + own, len(labels.topics) * len(different))
    topic, pattern = np.divmod(found, max(1, len(different)))
    return Patterns(different, topic, pattern, np.bincount(row))


def label_counts(labels: Labels) -> Counts:
    """Return how many judges gave each grade to each item, shape (items, grades)."""
    narrow = np.int8 if len(labels.judges) < 128 else np.int64
    flags = (labels.places == place for place in range(len(labels.scale)))
    return np.stack([flag.view(np.int8).sum(axis=0, dtype=narrow) for flag in flags]).astype(np.int64).T


def different_rows(counts: Counts) -> tuple[Counts, IntVector]:
    """Return the different rows of label counts, in ascending order from the last grade on, and of each item
    which one it has."""
    base, grades = int(counts.sum(axis=1).max(initial=0)) + 1, counts.shape[1]
    if base**grades > 1 << 62:
        return _of_rows(counts)
    powers = base ** np.arange(grades)
    found, own = _numbered(counts @ powers, base**grades)
    return found[:, None] // powers % base, own


def _numbered(codes: IntVector, size: int) -> tuple[IntVector, IntVector]:
    """Return the different codes, ascending, and the place of each one among them. size: above all codes."""
    if size > DENSE:
        return np.unique(codes, return_inverse=True)
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _of_rows(counts: Counts) -> tuple[Counts, IntVector]:
    """The same where there are so many judges and grades that a row has no code of 64 bits."""
    different, own = np.unique(counts, axis=0, return_inverse=True)
    return different, own.ravel()

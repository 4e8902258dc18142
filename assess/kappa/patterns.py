"""Items on which the same grades were given equally often are one pattern: what is left to add up is small.

A hundred thousand items with ten labels on four grades have at most a thousand patterns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pooling.columns import IntVector

from .coefficient import Floats
from .confusion import Counts
from .labels import Labels

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

    def summed(self, figures: Floats, topics: int) -> Floats:
        """Add up figures of patterns over items: (patterns, n) -> (topics, n)."""
        sums = np.zeros((topics, figures.shape[1]))
        step = max(1, DENSE // max(1, len(figures)))
        for begin in range(0, topics, step):
            edges = np.searchsorted(self.topic, [begin, begin + step])
            rows = slice(*edges.tolist())
            times = np.zeros((min(step, topics - begin), len(figures)))
            times[self.topic[rows] - begin, self.pattern[rows]] = self.items[rows]
            sums[begin : begin + step] = times @ figures
        return sums

    def folded(self, cut: int) -> Patterns:
        """Return the patterns of labels folded at a place on the scale; the same one may come twice."""
        return self._replace(counts=np.add.reduceat(self.counts, [0, cut], axis=1))


def patterns_of(labels: Labels) -> Patterns:
    """Return the patterns of all items that have a label."""
    counts = label_counts(labels)
    given = counts.sum(axis=1)
    if not given.any():
        none = np.zeros(0, dtype=np.int64)
        return Patterns(counts[:0], none, none, none)
    base, grades = int(given.max()) + 1, len(labels.scale)
    if base**grades * len(labels.topics) > 1 << 62:
        return _of_rows(counts[given > 0], labels.topic[given > 0])
    code = labels.topic * base**grades + counts @ (base ** np.arange(grades))
    found, items = _counted(code[given > 0] if not given.all() else code, base**grades * len(labels.topics))
    topic, own = np.divmod(found, base**grades)
    different, pattern = np.unique(own, return_inverse=True)
    return Patterns(different[:, None] // base ** np.arange(grades) % base, topic, pattern, items)


def label_counts(labels: Labels) -> Counts:
    """Return how many judges gave each grade to each item, shape (items, grades)."""
    counts = np.empty((labels.places.shape[1], len(labels.scale)), dtype=np.int64)
    narrow = np.int8 if len(labels.judges) < 128 else np.int64
    for place in range(len(labels.scale)):
        counts[:, place] = (labels.places == place).view(np.int8).sum(axis=0, dtype=narrow)
    return counts


def _counted(codes: IntVector, size: int) -> tuple[IntVector, IntVector]:
    if size > DENSE:
        return np.unique(codes, return_counts=True)
    often = np.bincount(codes)
    found = np.flatnonzero(often)
    return found, often[found]


def _of_rows(counts: Counts, topic: IntVector) -> Patterns:
    """The same where there are so many judges and grades that a row has no code of 64 bits."""
    different, own = np.unique(counts, axis=0, return_inverse=True)
    code, items = np.unique(topic * len(different) + own.ravel(), return_counts=True)
    found, pattern = np.divmod(code, len(different))
    return Patterns(different, found, pattern, items)

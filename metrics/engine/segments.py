"""Sums and running sums of ordered values, topic by topic."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from pooling.arrays import Flags, IntVector, Vector


class Segments:
    """The topics of ordered values, several for each topic: sums and running sums, topic by topic.

    Values are added one after the other, as a C loop adds them: `np.sum` adds in pairs and differs in the
    last bit, which can change a printed digit.
    """

    def __init__(self, topic: IntVector, topics: int) -> None:
        """topic: int64, shape (values,), ascending: the topic of each value. topics: the number of topics."""
        self.topic = topic
        self.offsets: IntVector = np.searchsorted(topic, np.arange(topics + 1))
        self.counts = np.diff(self.offsets)
        self.topics = topics

    @cached_property
    def position(self) -> IntVector:
        """The position of each value in its topic, from 1; shape (values,)."""
        return np.arange(1, len(self.topic) + 1) - self.offsets[self.topic]

    def sum(self, values: Vector) -> Vector:
        """Return the sum of each topic's values, shape (topics,)."""
        # without any value, bincount ignores the weights and returns integers
        return np.bincount(self.topic, weights=values, minlength=self.topics).astype(np.float64, copy=False)

    def running(self, values: Vector) -> Vector:
        """Return for each value the sum of its topic's values up to it, shape (values,)."""
        longest = int(self.counts.max(initial=0))
        if longest * self.topics > 4 * len(values) + 100_000:
            return self._running_uneven(values)
        rows = np.zeros((self.topics, longest))
        places = self.topic * longest + self.position - 1
        rows.ravel()[places] = values
        sums: Vector = np.cumsum(rows, axis=1).ravel()[places]
        return sums

    def highest_from(self, values: Vector) -> Vector:
        """Return for each value the maximum of it and the later values of its topic, shape (values,)."""
        longest = int(self.counts.max(initial=0))
        if longest * self.topics > 4 * len(values) + 100_000:
            maxima = np.empty(len(values))
            for start, end in pairwise(self.offsets.tolist()):
                np.maximum.accumulate(values[start:end][::-1], out=maxima[start:end][::-1])
            return maxima
        rows: Vector = np.full((self.topics, longest), -np.inf)
        places = self.topic * longest + self.position - 1
        rows.ravel()[places] = values
        highest = np.maximum.accumulate(rows[:, ::-1], axis=1)[:, ::-1]
        return np.asarray(highest[self.topic, self.position - 1])

    def _running_uneven(self, values: Vector) -> Vector:
        """Return running sums one topic at a time, for topics of very different lengths."""
        sums = np.empty(len(values))
        for start, end in pairwise(self.offsets.tolist()):
            np.cumsum(values[start:end], out=sums[start:end])
        return sums

    def count_before(self, flags: Flags) -> IntVector:
        """Return for each value the number of flagged values before it in its topic, shape (values,)."""
        upto = np.concatenate([[0], np.cumsum(flags)])
        before: IntVector = upto[:-1] - upto[self.offsets[self.topic]]
        return before

    def after(self, running: Vector, counts: IntVector) -> Vector:
        """Return each topic's running value after its first `counts` values, 0 for none; shape (topics,)."""
        if not len(running):
            return np.zeros(self.topics)
        places = np.maximum(self.offsets[:-1] + counts - 1, 0)
        return np.where(counts > 0, running[places], 0.0)

"""Seconds a label, summed up from counts per whole second, so that no list of labels need be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Timing:
    """The labels of a judge, a topic, or both, that were timed. counts: whole seconds -> labels."""

    total: float = 0.0
    counts: Counter[int] = field(default_factory=Counter)

    def add(self, second: int, labels: int, total: float) -> None:
        """Take in labels that took about so many seconds each, `total` together."""
        self.counts[second] += labels
        self.total += total

    @property
    def mean(self) -> float | None:
        """Mean seconds; None where nothing was timed. What is left takes the mean, not the median."""
        labels = self.counts.total()
        return self.total / labels if labels else None

    @property
    def median(self) -> float | None:
        """Median of the seconds, each rounded to a whole one; None where nothing was timed.

        >>> Timing(0, Counter({12: 1, 15: 1, 90: 2})).median
        52.5
        """
        labels = self.counts.total()
        if not labels:
            return None
        return (self._nth((labels - 1) // 2) + self._nth(labels // 2)) / 2

    def _nth(self, place: int) -> int:
        for second in sorted(self.counts):
            place -= self.counts[second]
            if place < 0:
                return second
        raise IndexError(place)


def merged(timings: Iterable[Timing]) -> Timing:
    """Return the timing of all labels of these together."""
    whole = Timing()
    for timing in timings:
        whole.counts.update(timing.counts)
        whole.total += timing.total
    return whole

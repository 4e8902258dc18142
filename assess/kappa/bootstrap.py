"""Intervals by drawing topics again and again: documents of one topic are not independent, topics are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .coefficient import Floats

DEFINED = 0.9  # the least share of draws in which a coefficient must be defined to get an interval
ROOM = 1 << 22  # numbers that are held at a time

ONE_TOPIC = "there is one topic only: a bootstrap over topics would draw it every time"
SELDOM_DEFINED = "undefined in more than a tenth of the draws"
TOO_LARGE = "too many pairs of judges and topics to draw from"


class Bootstrap(NamedTuple):
    """How intervals are made: the same seed and number of draws give the same intervals."""

    seed: int = 0
    draws: int = 2000
    level: float = 0.95

    def weights(self, topics: int) -> Floats:
        """Return how often each topic is drawn, shape (draws, topics); each row sums to `topics`."""
        random = np.random.default_rng(self.seed)
        return random.multinomial(topics, np.full(topics, 1 / topics), size=self.draws).astype(float)

    def interval(self, drawn: Floats) -> tuple[float, float] | None:
        """Return the percentile interval of a coefficient's values, one per draw, nan where undefined.

        None where it is defined in too few of them. Efron 1979.
        """
        defined = drawn[~np.isnan(drawn)]
        if not len(drawn) or len(defined) < DEFINED * len(drawn):
            return None
        low, high = np.quantile(defined, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        return low, high

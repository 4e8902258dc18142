"""Bootstrap intervals over topics: documents of one topic are not independent of each other, topics are."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import Floats

LEAST_TOPICS = 10  # with fewer, no bootstrap over topics covers the share of cases that it claims
DEFINED = 0.9  # the least share of draws in which a coefficient must be defined to get an interval
ROOM = 1 << 22  # numbers that are held at a time

ONE_TOPIC = "there is one topic only: a bootstrap over topics would draw it every time"
FEW_TOPICS = f"fewer than {LEAST_TOPICS} topics have documents with labels of two judges"
SELDOM_DEFINED = "undefined in more than a tenth of the draws"
TOO_LARGE = "too many pairs of judges and topics to draw from"


def too_few(topics: int, drawable: int) -> str:
    """Return why there is no interval, "" where there are enough topics.

    drawable: how many of the topics have documents with labels of two judges.
    """
    if topics == 1:
        return ONE_TOPIC
    return FEW_TOPICS if drawable < LEAST_TOPICS else ""


class Bootstrap(NamedTuple):
    """How intervals are made: the same seed and number of draws give the same intervals."""

    seed: int = 0
    draws: int = 2000
    level: float = 0.95

    def weights(self, topics: int) -> Floats:
        """Return how often each topic is drawn, shape (draws, topics); each row sums to `topics`."""
        random = np.random.default_rng(self.seed)
        return random.multinomial(topics, np.full(topics, 1 / topics), size=self.draws).astype(float)

    def interval(self, drawn: Floats, topics: int) -> tuple[float, float] | None:
        """Return the expanded percentile interval of a coefficient.

        drawn: its value in every draw, nan where undefined. topics: how many there are to draw from, 2 or
        more. None where the coefficient is defined in too few draws. The percentile interval of n topics is
        too narrow by sqrt((n - 1) / n) and takes the normal quantile for Student's; the percentiles are moved
        outwards to make up for both (Hesterberg, What Teachers Should Know About the Bootstrap, The American
        Statistician 69, 2015).
        """
        defined = drawn[~np.isnan(drawn)]
        if not len(drawn) or len(defined) < DEFINED * len(drawn):
            return None
        outside = self.tail(topics)
        low, high = np.quantile(defined, [outside, 1 - outside]).tolist()
        return low, high

    def tail(self, topics: int) -> float:
        """Return the share of draws that lie beyond each end of the interval.

        >>> round(Bootstrap().tail(10), 4), round(Bootstrap().tail(1000), 4)
        (0.0086, 0.0248)
        """
        from scipy.special import stdtrit  # heavy, and for intervals alone

        student = float(stdtrit(topics - 1, (1 + self.level) / 2))
        return NormalDist().cdf(-student * (topics / (topics - 1)) ** 0.5)

"""Bootstrap intervals over topics.

Documents of one topic are not independent of each other, but topics are.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import Floats
from pooling.extras import import_extra

MIN_TOPICS = 10  # with fewer, the coverage of a bootstrap over topics is below its nominal level
MIN_DEFINED_SHARE = 0.9  # minimum share of draws in which a coefficient must be defined to have an interval
MAX_NUMBERS = 1 << 22  # numbers in memory at a time

# Releases store these reasons, and the integrity check compares them: a new wording would be a difference.
ONE_TOPIC = "there is one topic only: a bootstrap over topics would draw it every time"
FEW_TOPICS = f"fewer than {MIN_TOPICS} topics have documents with labels of two judges"
SELDOM_DEFINED = "undefined in more than a tenth of the draws"
TOO_LARGE = "too many pairs of judges and topics to draw from"


def why_no_interval(topics: int, drawable: int) -> str:
    """Return why there is no interval, or an empty string.

    topics: number of topics. drawable: number of topics that have documents with labels of two judges.
    """
    if topics == 1:
        return ONE_TOPIC
    return FEW_TOPICS if drawable < MIN_TOPICS else ""


class Bootstrap(NamedTuple):
    """Parameters of the bootstrap: the same seed and number of draws give the same intervals."""

    seed: int = 0
    draws: int = 2000
    level: float = 0.95

    def weights(self, topics: int) -> Floats:
        """Return how often each topic is drawn, shape (draws, topics); each row sums to `topics`."""
        random = np.random.default_rng(self.seed)
        return random.multinomial(topics, np.full(topics, 1 / topics), size=self.draws).astype(float)

    def interval(self, drawn: Floats, topics: int) -> tuple[float, float] | None:
        """Return the expanded percentile interval of a coefficient.

        drawn: its value in each draw, nan where undefined. topics: number of topics to draw from, 2 or more.
        None where the coefficient is defined in too few draws. The percentile interval of n topics is too
        narrow by sqrt((n - 1) / n) and uses the normal quantile instead of Student's t; the percentiles are
        moved outwards to correct both (Hesterberg, What Teachers Should Know About the Bootstrap, The
        American Statistician 69, 2015).
        """
        defined = drawn[~np.isnan(drawn)]
        if not len(drawn) or len(defined) < MIN_DEFINED_SHARE * len(drawn):
            return None
        outside = self.tail(topics)
        low, high = np.quantile(defined, [outside, 1 - outside]).tolist()
        return low, high

    def tail(self, topics: int) -> float:
        """Return the share of draws beyond each end of the interval.

        >>> round(Bootstrap().tail(10), 4), round(Bootstrap().tail(1000), 4)
        (0.0086, 0.0248)
        """
        stdtrit = import_extra("scipy.special").stdtrit
        student = float(stdtrit(topics - 1, (1 + self.level) / 2))
        return NormalDist().cdf(-student * (topics / (topics - 1)) ** 0.5)

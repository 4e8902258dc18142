"""Wilcoxon's signed rank test and the sign test: legacy, to compare with papers that used them.

Both ask about medians, not about the means that systems are ranked by, and lose power for it (Smucker, Allan
& Carterette 2007 advise to stop using them).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics.ranking import levelled
from pooling.columns import IntVector, Vector

from .paired import PairedTest, begin, paired_differences

WILCOXON = "Wilcoxon signed rank test, exact, zeros left out (legacy)"
SIGN = "sign test, exact, zeros left out (legacy)"


def wilcoxon_test(first: Vector, second: Vector) -> PairedTest:
    """Wilcoxon's signed rank test of two systems, two-sided; zeros are left out (Wilcoxon 1945).

    The statistic is the smaller of the two rank sums. p is exact, over all signs of the very ranks that there
    are: tied differences share the mean of their ranks. Differences that differ by rounding only are tied
    (.7 - .5 and .4 - .2, which scipy takes for different). No interval. Undefined for fewer than two topics
    and where all differences are zero.
    """
    differences = paired_differences(first, second)
    test = begin(WILCOXON, differences)
    if test.reason:
        return test
    kept = differences[differences != 0]
    doubled = doubled_ranks(levelled(np.abs(kept)))
    upward = int(doubled[kept > 0].sum())
    smaller = min(upward, int(doubled.sum()) - upward)
    chances = np.ones(1)  # of each sum of the ranks that happen to be positive
    for rank in doubled.tolist():
        still, more = np.append(chances, np.zeros(rank)), np.append(np.zeros(rank), chances)
        chances = (still + more) / 2
    p = min(1.0, 2 * float(chances[: smaller + 1].sum()))
    return replace(test, statistic=smaller / 2, p=p)


def doubled_ranks(values: Vector) -> IntVector:
    """Return twice the rank of each value, from 2; equal ones share the mean, which may end in .5.

    >>> doubled_ranks(np.array([0.5, 0.1, 0.5])).tolist()
    [5, 2, 5]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: IntVector = (2 * np.cumsum(counts) - counts + 1)[places]
    return ranks


def sign_test(first: Vector, second: Vector) -> PairedTest:
    """The sign test of two systems, two-sided: wins of the first among topics that either wins.

    The statistic is how many topics the first wins; zeros are left out. No interval. Undefined for fewer
    than two topics and where all differences are zero. Arbuthnot 1710.
    """
    from scipy.special import bdtr  # heavy, and for this page alone

    differences = paired_differences(first, second)
    test = begin(SIGN, differences)
    if test.reason:
        return test
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    p = min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
    return replace(test, statistic=float(wins), p=p)

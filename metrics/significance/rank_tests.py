"""Wilcoxon's signed rank test and the sign test: legacy, to compare with papers that used them.

Both ask about medians, not about the means that systems are ranked by, and lose power for it (Smucker, Allan
& Carterette 2007 advise to stop using them).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics.ranking import levelled
from metrics.significance.paired import PairedTest, begin, paired_differences
from pooling.arrays import Vector

WILCOXON = "Wilcoxon signed rank test, {}, zeros left out (legacy)"
EXACT, NORMAL = "exact", "normal approximation"
SIGN = "sign test, exact, zeros left out (legacy)"
EXACT_TOPICS = 50  # that are not zero, and of which no two differ by as much
EXACT_TIED_TOPICS = 13  # where some do: all signs are tried, 2^13 of them


def wilcoxon_test(first: Vector, second: Vector) -> PairedTest:
    """Wilcoxon's signed rank test of two systems, two-sided; zeros are left out (Wilcoxon 1945).

    The statistic is the smaller of the two rank sums; tied differences share the mean of their ranks, and
    those that differ by rounding only are tied (.7 - .5 and .4 - .2). p is exact for up to EXACT_TOPICS
    differences without ties and EXACT_TIED_TOPICS with them; for more it is from the normal distribution,
    with the variance corrected for ties and without a continuity correction. `name` says which. No interval.
    Undefined for fewer than two topics and where all differences are zero.
    """
    from scipy import stats  # takes a second to load: when a test is made, not at the start of every command

    differences = paired_differences(first, second)
    test = begin(WILCOXON.format(EXACT), differences)
    if test.reason:
        return test
    kept = differences[differences != 0]
    sizes = levelled(np.abs(kept))
    tied = len(np.unique(sizes)) < len(sizes)
    if len(kept) > (EXACT_TIED_TOPICS if tied else EXACT_TOPICS):
        test = replace(test, name=WILCOXON.format(NORMAL))
        found = stats.wilcoxon(np.sign(kept) * sizes, method="asymptotic")
    else:
        method = stats.PermutationMethod(n_resamples=2**EXACT_TIED_TOPICS) if tied else "exact"
        found = stats.wilcoxon(np.sign(kept) * sizes, method=method)
    return replace(test, statistic=float(found.statistic), p=float(found.pvalue))


def sign_test(first: Vector, second: Vector) -> PairedTest:
    """The sign test of two systems, two-sided: wins of the first among topics that either wins.

    The statistic is how many topics the first wins; zeros are left out. No interval. Undefined for fewer
    than two topics and where all differences are zero. Arbuthnot 1710.
    """
    from scipy import stats

    differences = paired_differences(first, second)
    test = begin(SIGN, differences)
    if test.reason:
        return test
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    p = stats.binomtest(wins, wins + losses, 0.5).pvalue
    return replace(test, statistic=float(wins), p=float(p))

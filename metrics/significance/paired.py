"""Two systems over the same topics: paired tests of their difference, and its size.

Wilcoxon's signed rank test and the sign test are for comparison with older papers. They are about medians,
not about the means that systems are ranked by, and have less power (Smucker, Allan & Carterette 2007 advise
against them).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, lgamma, log, sqrt
from typing import NamedTuple

import numpy as np

from metrics.rankings.ranking import levelled
from pooling.arrays import Matrix, Vector
from pooling.extras import import_extra
from pooling.notebook import fields_html

LEVEL = 0.95
ROUNDING = 1e-10  # of the largest score: what differs by less is equal
BLOCK = 1 << 21  # numbers in memory at once while resampling
ONE_TOPIC = "fewer than two topics"
ALL_ZERO = "every difference is zero"
ALL_EQUAL = "every difference is the same: nothing varies"


class Interval(NamedTuple):
    """From low to high with confidence `level`, 0.95 say."""

    low: float
    high: float
    level: float


@dataclass(frozen=True)
class PairedTest:
    """The result of a two-sided test of two systems over the same topics.

    name: of the test and its variant. n: topics. difference: mean score of the first system less
    that of the second, None without topics. statistic, p: None where undefined; `reason` then says why, and
    is "" otherwise. interval: of the difference, None where the test gives none or n is too small for it.
    draws: the number of resamples for p, 0 if p is exact or from a distribution; seed: of the resamples.
    """

    name: str
    n: int
    difference: float | None
    statistic: float | None = None
    p: float | None = None
    interval: Interval | None = None
    reason: str = ""
    draws: int = 0
    seed: int | None = None

    def _repr_html_(self) -> str:
        return fields_html(self)


def paired_differences(first: Vector, second: Vector) -> Vector:
    """Return first less second, topic by topic; a difference within rounding is set to 0.

    Raises ValueError for vectors of unequal length and for scores that are not finite: the caller decides
    what a missing topic scores.
    """
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"expected the same topics for both systems, found shapes {first.shape}, {second.shape}"
        )
    checked_finite(first)
    checked_finite(second)
    differences: Vector = first - second
    largest = max(float(np.abs(first).max(initial=0)), float(np.abs(second).max(initial=0)))
    return np.where(np.abs(differences) <= ROUNDING * largest, 0.0, differences)


def checked_finite(values: Matrix) -> Matrix:
    """Return the scores. Raises ValueError unless they all are finite."""
    if not np.isfinite(values).all():
        raise ValueError("expected finite scores, found one that is not; give missing topics a score first")
    return values


def checked_level(level: float) -> float:
    """Return the level of confidence. Raises ValueError unless it is between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"expected a level of confidence between 0 and 1, found {level}")
    return level


def new_test(name: str, differences: Vector) -> PairedTest:
    """Return a test result without p, with the reason if the test is undefined."""
    n = len(differences)
    reason = ONE_TOPIC if n < 2 else ALL_ZERO if not differences.any() else ""
    return PairedTest(name, n, float(differences.mean()) if n else None, reason=reason)


def is_constant(differences: Vector) -> bool:
    """Tell whether all differences are equal but for rounding."""
    return bool(np.ptp(differences) <= ROUNDING * np.abs(differences).max())


def undefined_test(test: PairedTest, reason: str) -> PairedTest:
    """Return the test without statistic and p."""
    return replace(test, reason=reason)


def blocks_of(draws: int, width: int) -> Iterator[int]:
    """Yield how many of `draws` resamples of `width` numbers to hold at a time."""
    size = max(1, BLOCK // max(width, 1))
    for start in range(0, draws, size):
        yield min(size, draws - start)


T_TEST = "paired t-test"


def paired_t_test(first: Vector, second: Vector, level: float = LEVEL) -> PairedTest:
    """The paired t-test of two systems, two-sided: t = mean difference over its standard error.

    first, second: scores of shape (topics,), the same topics in the same order. The interval is t's too.
    Undefined for fewer than two topics and where the differences do not vary. Student 1908.
    """
    stats = import_extra("scipy.stats")
    checked_level(level)
    differences = paired_differences(first, second)
    test = new_test(T_TEST, differences)
    if test.reason:
        return test
    if is_constant(differences):
        return undefined_test(test, ALL_EQUAL)
    result = stats.ttest_1samp(differences, 0.0)
    low, high = result.confidence_interval(level)
    interval = Interval(float(low), float(high), level)
    return replace(test, statistic=float(result.statistic), p=float(result.pvalue), interval=interval)


def t_and_p(differences: Matrix) -> tuple[list[float | None], list[float | None]]:
    """Return t and the two-sided p of the paired t-test, for many pairs of systems at once.

    differences: shape (topics, pairs), two topics or more. None for a pair whose differences do not vary.
    """
    stats = import_extra("scipy.stats")
    vary = [not is_constant(column) for column in differences.T]
    result = stats.ttest_1samp(differences[:, vary], 0.0, axis=0)
    t, p = iter(result.statistic.tolist()), iter(result.pvalue.tolist())
    return [next(t) if varies else None for varies in vary], [next(p) if varies else None for varies in vary]


WILCOXON = "Wilcoxon signed rank test, {}, zeros left out (legacy)"
EXACT_P, NORMAL_P = "exact", "normal approximation"
SIGN = "sign test, exact, zeros left out (legacy)"
EXACT_WILCOXON_TOPICS = 50  # that are not zero, and of which no two differ by as much
EXACT_WILCOXON_TIED_TOPICS = 13  # where some do: all signs are tried, 2^13 of them


def wilcoxon_test(first: Vector, second: Vector) -> PairedTest:
    """Wilcoxon's signed rank test of two systems, two-sided; zeros are left out (Wilcoxon 1945).

    The statistic is the smaller of the two rank sums; tied differences share the mean of their ranks, and
    those that differ by rounding only are tied (.7 - .5 and .4 - .2). p is exact for up to
    EXACT_WILCOXON_TOPICS differences without ties and EXACT_WILCOXON_TIED_TOPICS with them; for more it is
    from the normal distribution, with the variance corrected for ties and without a continuity correction.
    `name` says which. No interval. Undefined for fewer than two topics and where all differences are zero.
    """
    stats = import_extra("scipy.stats")
    differences = paired_differences(first, second)
    test = new_test(WILCOXON.format(EXACT_P), differences)
    if test.reason:
        return test
    nonzero = differences[differences != 0]
    sizes = levelled(np.abs(nonzero))
    tied = len(np.unique(sizes)) < len(sizes)
    if len(nonzero) > (EXACT_WILCOXON_TIED_TOPICS if tied else EXACT_WILCOXON_TOPICS):
        test = replace(test, name=WILCOXON.format(NORMAL_P))
        result = stats.wilcoxon(np.sign(nonzero) * sizes, method="asymptotic")
    else:
        method = stats.PermutationMethod(n_resamples=2**EXACT_WILCOXON_TIED_TOPICS) if tied else "exact"
        result = stats.wilcoxon(np.sign(nonzero) * sizes, method=method)
    return replace(test, statistic=float(result.statistic), p=float(result.pvalue))


def sign_test(first: Vector, second: Vector) -> PairedTest:
    """The sign test of two systems, two-sided: wins of the first among topics that either wins.

    The statistic is how many topics the first wins; zeros are left out. No interval. Undefined for fewer
    than two topics and where all differences are zero. Arbuthnot 1710.
    """
    stats = import_extra("scipy.stats")
    differences = paired_differences(first, second)
    test = new_test(SIGN, differences)
    if test.reason:
        return test
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    p = stats.binomtest(wins, wins + losses, 0.5).pvalue
    return replace(test, statistic=float(wins), p=float(p))


D_Z = "Effect size of the paired t-test (d_z): mean difference over the standard deviation of differences"
COHEN = "Cohen's d: mean difference over the mean standard deviation of the two systems"
HEDGES = "Hedges' g: Cohen's d, corrected for few topics"
NO_VARIANCE = "neither system's scores vary"


@dataclass(frozen=True)
class EffectSize:
    """A difference in standard deviations. name: in which. n: topics.

    value: None where it is undefined; `reason` then says why, and is "" otherwise.
    """

    name: str
    n: int
    value: float | None
    reason: str = ""


def d_z(first: Vector, second: Vector) -> EffectSize:
    """The effect size of the paired t-test: t over the root of n (Cohen 1988; Sakai 2018).

    first, second: scores of shape (topics,). 0 where all differences are zero. Undefined for fewer than two
    topics, and where all differences are the same but not zero.
    """
    differences = paired_differences(first, second)
    n = len(differences)
    if n < 2:
        return EffectSize(D_Z, n, None, ONE_TOPIC)
    if not differences.any():
        return EffectSize(D_Z, n, 0.0)
    if is_constant(differences):
        return EffectSize(D_Z, n, None, ALL_EQUAL)
    return EffectSize(D_Z, n, float(differences.mean() / differences.std(ddof=1)))


def cohens_d(first: Vector, second: Vector) -> EffectSize:
    """Cohen's d: over the root of the mean of both systems' variances (Cohen 1988).

    Topics vary more than differences do: it is smaller than d_z where systems find the same topics hard.
    Undefined for fewer than two topics, and where neither system's scores vary.
    """
    differences = paired_differences(first, second)
    n = len(differences)
    if n < 2:
        return EffectSize(COHEN, n, None, ONE_TOPIC)
    spread = sqrt((float(np.var(first, ddof=1)) + float(np.var(second, ddof=1))) / 2)
    if spread <= 1e-10 * max(np.abs(first).max(), np.abs(second).max()):
        return EffectSize(COHEN, n, None, NO_VARIANCE)
    return EffectSize(COHEN, n, float(differences.mean()) / spread)


def hedges_g(first: Vector, second: Vector) -> EffectSize:
    """Hedges' g: Cohen's d without the bias that few topics bring, by the exact factor (Hedges 1981).

    Undefined where Cohen's d is.
    """
    effect = cohens_d(first, second)
    if effect.value is None:
        return EffectSize(HEDGES, effect.n, None, effect.reason)
    freedom = 2 * (effect.n - 1)
    factor = exp(lgamma(freedom / 2) - lgamma((freedom - 1) / 2) - log(freedom / 2) / 2)
    return EffectSize(HEDGES, effect.n, effect.value * factor)

"""Differences of two variants over users: means by Welch, shares of users by the score test."""

from __future__ import annotations

from collections.abc import Callable
from math import acos, cos, pi, sqrt
from typing import NamedTuple

from metrics.ab_tests.by_user import Sample
from pooling.extras import import_extra

LEVEL = 0.95
WELCH, SCORE = "Welch's t-test of one value per user", "score test of shares of users"
TOO_FEW = "fewer than two users of a variant have a value"
ALL_SAME = "every user has the same value"


class Difference(NamedTuple):
    """A difference, treated less control. error: its standard error, without which there is no test.

    p, low, high: None where they are undefined; `reason` says why. df: of Welch's test.
    """

    difference: float | None
    error: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    df: float | None = None
    test: str = WELCH
    reason: str = ""


def welch(control: Sample, treated: Sample, level: float = LEVEL) -> Difference:
    """Return the difference of two means, with Welch's test and interval; both have the user as the unit.

    Welch 1947 with the degrees of freedom of Satterthwaite; `scipy.stats.ttest_ind(equal_var=False)`. For
    ratios of sums the samples hold linearised variances (`ratio_sample`).

    >>> found = welch(Sample(3, 2.0, 1.0), Sample(3, 4.0, 1.0))
    >>> found.difference, round(found.p, 4), round(found.low, 4), round(found.high, 4)
    (2.0, 0.0705, -0.267, 4.267)
    """
    if control.mean is None or treated.mean is None:
        return Difference(None, reason=TOO_FEW)
    difference = treated.mean - control.mean
    if control.variance is None or treated.variance is None:
        return Difference(difference, reason=TOO_FEW)
    a, b = control.variance / control.n, treated.variance / treated.n
    if not a + b:
        return Difference(difference, reason=ALL_SAME)
    t = import_extra("scipy.stats").t
    df = 1 / ((a / (a + b)) ** 2 / (control.n - 1) + (b / (a + b)) ** 2 / (treated.n - 1))
    error = sqrt(a + b)
    half = float(t.ppf((1 + level) / 2, df)) * error
    p = float(2 * t.sf(abs(difference) / error, df))
    return Difference(difference, error, p, difference - half, difference + half, df)


def share_difference(control: Sample, treated: Sample, level: float = LEVEL) -> Difference:
    """Return the difference of two shares of users, with the score test and the interval that inverts it.

    Miettinen & Nurminen 1985, Comparative analysis of two rates; the shares that the null hypothesis allows
    are in closed form there. It holds for small shares and few users, where that of Welch does not, and p is
    below 1 - level exactly where the interval leaves out 0.

    >>> found = share_difference(Sample(100, 0.2, 0.16), Sample(100, 0.35, 0.23))
    >>> round(found.p, 3), round(found.low, 3), round(found.high, 3)
    (0.018, 0.026, 0.271)
    """
    if control.mean is None or treated.mean is None or min(control.n, treated.n) < 2:
        return Difference(None, test=SCORE, reason=TOO_FEW)
    special = import_extra("scipy.special")
    p0, p1, n0, n1 = control.mean, treated.mean, control.n, treated.n
    difference = p1 - p0
    if p0 == p1 and p0 in (0, 1):
        return Difference(difference, test=SCORE, reason=ALL_SAME)

    def z(null: float) -> float:
        return (difference - null) / _null_error(p0, p1, n0, n1, null)

    edge = float(special.ndtri((1 + level) / 2))
    return Difference(
        difference,
        sqrt(p0 * (1 - p0) / n0 + p1 * (1 - p1) / n1),
        float(2 * special.ndtr(-abs(z(0.0)))),
        _root(lambda null: z(null) - edge, -1.0, difference),
        _root(lambda null: z(null) + edge, difference, 1.0),
        test=SCORE,
    )


def _root(of: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function is 0, by halving; an end if it is beyond."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if of(middle) > 0 else (low, middle)
    return (low + high) / 2


def _null_error(p0: float, p1: float, n0: int, n1: int, null: float) -> float:
    """Return the standard error under a difference, from the most likely shares that have it."""
    theta, n = n0 / n1, n0 + n1
    a = 1 + theta
    b = -(1 + theta + p1 + theta * p0 + null * (theta + 2))
    c = null * null + null * (2 * p1 + theta + 1) + p1 + theta * p0
    d = -p1 * null * (1 + null)
    v = (b / (3 * a)) ** 3 - b * c / (6 * a * a) + d / (2 * a)
    u = sqrt(max((b / (3 * a)) ** 2 - c / (3 * a), 0.0)) * (1 if v >= 0 else -1)
    w = (pi + acos(min(max(v / u**3, -1.0), 1.0))) / 3 if u else pi / 2
    first = min(max(2 * u * cos(w) - b / (3 * a), 0.0), 1.0)
    second = min(max(first - null, 0.0), 1.0)
    variance = (first * (1 - first) / n1 + second * (1 - second) / n0) * n / (n - 1)
    return sqrt(max(variance, 1e-300))

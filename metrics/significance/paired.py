"""Paired tests of two systems over the same topics: input, result and common checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pooling.arrays import Matrix, Vector

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


def begin(name: str, differences: Vector) -> PairedTest:
    """Return a test result without p, with the reason if the test is undefined."""
    n = len(differences)
    reason = ONE_TOPIC if n < 2 else ALL_ZERO if not differences.any() else ""
    return PairedTest(name, n, float(differences.mean()) if n else None, reason=reason)


def without_variance(differences: Vector) -> bool:
    """Tell whether all differences are equal but for rounding."""
    return bool(np.ptp(differences) <= ROUNDING * np.abs(differences).max())


def undefined(test: PairedTest, reason: str) -> PairedTest:
    """Return the test without statistic and p."""
    return replace(test, reason=reason)


def blocks_of(draws: int, width: int) -> Iterator[int]:
    """Yield how many of `draws` resamples of `width` numbers to hold at a time."""
    size = max(1, BLOCK // max(width, 1))
    for start in range(0, draws, size):
        yield min(size, draws - start)

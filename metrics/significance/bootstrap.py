"""The paired bootstrap test over topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pooling.columns import Vector

from .paired import (
    ALL_EQUAL,
    LEVEL,
    ROUNDING,
    Interval,
    PairedTest,
    begin,
    blocks_of,
    checked_level,
    paired_differences,
    undefined,
    without_variance,
)

NAME = "paired bootstrap test, studentised"
DRAWS = 10_000
Weights = npt.NDArray[np.float64]


def paired_bootstrap_test(
    first: Vector, second: Vector, level: float = LEVEL, draws: int = DRAWS, seed: int = 0
) -> PairedTest:
    """The paired bootstrap test of two systems, two-sided, on the studentised mean difference (Sakai 2006).

    The statistic is t. p is the share of `draws` resamples of the centred differences, and of what happened,
    whose |t| is at least as large: (1 + count) / (1 + draws). The interval is the symmetric bootstrap-t one,
    which leaves out 0 where the test rejects; None where resamples vary too little for it. Undefined for
    fewer than two topics and where the differences do not vary.
    """
    checked_level(level)
    differences = paired_differences(first, second)
    test = begin(NAME, differences)
    if test.reason:
        return test
    if without_variance(differences):
        return undefined(test, ALL_EQUAL)
    n, mean = len(differences), float(differences.mean())
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    t = mean / error
    resampled = np.append(_absolute_t(differences - mean, draws, seed), abs(t))
    p = int((resampled >= abs(t) * (1 - ROUNDING)).sum()) / (draws + 1)
    place = len(resampled) - int((1 - level) * len(resampled) + 1e-9)
    reach = float(np.partition(resampled, place - 1)[place - 1]) * error
    interval = Interval(mean - reach, mean + reach, level) if np.isfinite(reach) else None
    return replace(test, statistic=t, p=p, interval=interval, draws=draws, seed=seed)


def _absolute_t(centred: Vector, draws: int, seed: int) -> Vector:
    """Return |t| of resamples; infinite where one topic was drawn n times and its difference is not zero."""
    found, n = [], len(centred)
    squares = np.stack([centred, centred**2], axis=1)
    for weights in _resampled(n, draws, seed):
        sums, of_squares = (weights @ squares).T
        variance = np.maximum(of_squares - sums**2 / n, 0.0)
        spread = (
            variance > ROUNDING * of_squares
        )  # what is left is rounding, when one topic was drawn n times
        t = np.where(np.abs(sums) > 0, np.inf, 0.0)
        np.divide(np.abs(sums), np.sqrt(variance * n / (n - 1)), out=t, where=spread)
        found.append(t)
    return np.concatenate(found)


def _resampled(n: int, draws: int, seed: int) -> Iterator[Weights]:
    """Yield how often each of n topics is drawn, shape (some draws, n)."""
    rng = np.random.default_rng(seed)
    for size in blocks_of(draws, n):
        places = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(places.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)

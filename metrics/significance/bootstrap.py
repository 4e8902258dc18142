"""The paired bootstrap test over topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from metrics.significance.paired import (
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
from pooling.arrays import Matrix, Vector

NAME = "paired bootstrap test, studentised"
DRAWS = 10_000


def paired_bootstrap_test(
    first: Vector, second: Vector, level: float = LEVEL, draws: int = DRAWS, seed: int = 0
) -> PairedTest:
    """The paired bootstrap test of two systems, two-sided, on the studentised mean difference (Sakai 2006).

    The statistic is t. p is the share of `draws` resamples of the centred differences, and of the observed
    ones, whose |t| is at least as large: (1 + count) / (1 + draws). The interval is the symmetric bootstrap-t
    one, which leaves out 0 where the test rejects; None where resamples vary too little for it. Undefined for
    fewer than two topics and where the differences do not vary.
    """
    return paired_bootstrap_tests([first], second, level, draws, seed)[0]


def paired_bootstrap_tests(
    firsts: Sequence[Vector], second: Vector, level: float = LEVEL, draws: int = DRAWS, seed: int = 0
) -> list[PairedTest]:
    """Return the bootstrap test of each of several systems against one: all use the same draws."""
    checked_level(level)
    differences = [paired_differences(first, second) for first in firsts]
    tests = [_new_test(each) for each in differences]
    defined = [place for place, test in enumerate(tests) if not test.reason]
    if not defined:
        return tests
    centred = np.column_stack([differences[place] - differences[place].mean() for place in defined])
    for place, resampled in zip(defined, _absolute_t(centred, draws, seed).T, strict=True):
        found = _with_p(tests[place], differences[place], resampled, level)
        tests[place] = replace(found, draws=draws, seed=seed)
    return tests


def _new_test(differences: Vector) -> PairedTest:
    test = begin(NAME, differences)
    return test if test.reason or not without_variance(differences) else undefined(test, ALL_EQUAL)


def _with_p(test: PairedTest, differences: Vector, drawn: Vector, level: float) -> PairedTest:
    """Return the test with its p and interval. drawn: |t| of every resample."""
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / len(differences) ** 0.5
    t = mean / error
    resampled = np.append(drawn, abs(t))
    p = int((resampled >= abs(t) * (1 - ROUNDING)).sum()) / len(resampled)
    place = len(resampled) - int((1 - level) * len(resampled) + 1e-9)
    reach = float(np.partition(resampled, place - 1)[place - 1]) * error
    interval = Interval(mean - reach, mean + reach, level) if np.isfinite(reach) else None
    return replace(test, statistic=t, p=p, interval=interval)


def _absolute_t(centred: Matrix, draws: int, seed: int) -> Matrix:
    """Return |t| of resamples, shape (draws, systems). centred: shape (topics, systems).

    It is infinite where one topic was drawn n times and its difference is not zero.
    """
    n, systems = centred.shape
    found, squares = np.empty((draws, systems)), np.hstack([centred, centred**2])
    start = 0
    for weights in _resampled(n, draws, seed):
        sums, of_squares = np.hsplit(weights @ squares, 2)
        variance = np.maximum(of_squares - sums**2 / n, 0.0)
        spread = variance > ROUNDING * of_squares  # else rounding alone: one topic was drawn n times
        t = np.where(np.abs(sums) > 0, np.inf, 0.0)
        np.divide(np.abs(sums), np.sqrt(variance * n / (n - 1)), out=t, where=spread)
        found[start : start + len(t)] = t
        start += len(t)
    return found


def _resampled(n: int, draws: int, seed: int) -> Iterator[Matrix]:
    """Yield how often each of n topics is drawn, shape (some draws, n)."""
    rng = np.random.default_rng(seed)
    for size in blocks_of(draws, n):
        places = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(places.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)

"""Tests of two systems by resampling: Fisher's randomisation test and the paired bootstrap test."""

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
    blocks_of,
    checked_level,
    is_constant,
    new_test,
    paired_differences,
    undefined_test,
)
from pooling.arrays import Matrix, Vector

EXACT, SAMPLED = "randomisation test, exact", "randomisation test, sampled"
EXACT_TOPICS = 16  # with more, 2^n is large and a sample as good
FEWEST_DRAWS, MOST_SIGNS = 10_000, 1 << 26  # the signs of all draws together: a second of work
RANDOMISATION_DRAWS = 100_000


def randomisation_test(
    first: Vector,
    second: Vector,
    level: float = LEVEL,
    draws: int | None = None,
    seed: int = 0,
    exact_topics: int = EXACT_TOPICS,
) -> PairedTest:
    """The paired randomisation (permutation) test of two systems, two-sided.

    The statistic is the mean difference. p is the share of the 2^n ways to flip the differences' signs that
    give at least as large a difference: of all of them up to `exact_topics` topics, else of `draws` seeded
    ones and the observed one, (1 + count) / (1 + draws). By default these are DRAWS, and for thousands of
    topics fewer, down to FEWEST_DRAWS. The interval holds the differences that
    the test would not reject: by Hartigan's theorem its ends are order statistics of the means of subsets. It
    is None for fewer topics than could reject anything at that level. Undefined for fewer than two topics and
    where all differences are zero. Fisher 1935; Smucker, Allan & Carterette 2007; Hartigan 1969.
    """
    return randomisation_tests([first], second, level, draws, seed, exact_topics)[0]


def randomisation_tests(
    firsts: Sequence[Vector],
    second: Vector,
    level: float = LEVEL,
    draws: int | None = None,
    seed: int = 0,
    exact_topics: int = EXACT_TOPICS,
) -> list[PairedTest]:
    """Return the randomisation test of each of several systems against one: all use the same draws."""
    checked_level(level)
    differences = [paired_differences(first, second) for first in firsts]
    n = len(second)
    exact = n <= exact_topics
    draws = draws or min(RANDOMISATION_DRAWS, max(FEWEST_DRAWS, MOST_SIGNS // max(n, 1)))
    tests = [new_test(EXACT if exact else SAMPLED, vector) for vector in differences]
    defined = [index for index, test in enumerate(tests) if not test.reason]
    if defined and exact:
        subsets = [_all_subsets(differences[index]) for index in defined]
    elif defined:
        sums, counts = _some_subsets(np.column_stack([differences[index] for index in defined]), draws, seed)
        subsets = [(column, counts) for column in sums.T]
    for at, index in enumerate(defined):
        test = _counted(tests[index], differences[index], *subsets[at], level)
        tests[index] = test if exact else replace(test, draws=draws, seed=seed)
    return tests


def _counted(test: PairedTest, differences: Vector, sums: Vector, counts: Vector, level: float) -> PairedTest:
    """Return the test with its p and interval. sums, counts: of subsets of the differences."""
    # flipping the signs of a subset takes twice its sum from the total
    total = differences.sum()
    extreme = np.abs(total - 2 * sums) >= np.abs(total) - ROUNDING * np.abs(differences).sum()
    p = int(extreme.sum()) / len(extreme)
    return replace(test, statistic=test.difference, p=p, interval=_interval(sums, counts, level))


def _all_subsets(differences: Vector) -> tuple[Vector, Vector]:
    """Return the sum and the size of every subset of the differences, the empty one first."""
    sums, counts = np.zeros(1), np.zeros(1)
    for difference in differences.tolist():
        sums, counts = np.concatenate([sums, sums + difference]), np.concatenate([counts, counts + 1])
    return sums, counts


def _some_subsets(differences: Matrix, draws: int, seed: int) -> tuple[Matrix, Vector]:
    """Return the sums and the size of random subsets, the empty one (what happened) first.

    differences: shape (topics, systems). The sums have the shape (draws + 1, systems).
    """
    rng, (n, systems) = np.random.default_rng(seed), differences.shape
    sums = np.zeros((draws + 1, systems + 1))
    columns = np.column_stack([differences, np.ones(n)])
    start = 1
    for size in blocks_of(draws, n):
        bits = np.unpackbits(np.frombuffer(rng.bytes(size * -(-n // 8)), dtype=np.uint8).reshape(size, -1), 1)
        sums[start : start + size] = bits[:, :n].astype(np.float64) @ columns
        start += size
    return sums[:, :systems], sums[:, systems]


def _interval(sums: Vector, counts: Vector, level: float) -> Interval | None:
    """Return the differences that are not rejected at 1 - level, None where none ever is."""
    position = int(len(sums) * (1 - level) / 2 + 1e-9)
    means = sums[counts > 0] / counts[counts > 0]
    if not 1 <= position <= len(means):
        return None
    ends = np.partition(means, [position - 1, len(means) - position])
    return Interval(float(ends[position - 1]), float(ends[len(means) - position]), level)


BOOTSTRAP = "paired bootstrap test, studentised"
BOOTSTRAP_DRAWS = 10_000


def paired_bootstrap_test(
    first: Vector, second: Vector, level: float = LEVEL, draws: int = BOOTSTRAP_DRAWS, seed: int = 0
) -> PairedTest:
    """The paired bootstrap test of two systems, two-sided, on the studentised mean difference (Sakai 2006).

    The statistic is t. p is the share of `draws` resamples of the centred differences, and of the observed
    ones, whose |t| is at least as large: (1 + count) / (1 + draws). The interval is the symmetric bootstrap-t
    one, which leaves out 0 where the test rejects; None where resamples vary too little for it. Undefined for
    fewer than two topics and where the differences do not vary.
    """
    return paired_bootstrap_tests([first], second, level, draws, seed)[0]


def paired_bootstrap_tests(
    firsts: Sequence[Vector],
    second: Vector,
    level: float = LEVEL,
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = 0,
) -> list[PairedTest]:
    """Return the bootstrap test of each of several systems against one: all use the same draws."""
    checked_level(level)
    differences = [paired_differences(first, second) for first in firsts]
    tests = [_new_test(vector) for vector in differences]
    defined = [index for index, test in enumerate(tests) if not test.reason]
    if not defined:
        return tests
    centred = np.column_stack([differences[index] - differences[index].mean() for index in defined])
    for index, resampled in zip(defined, _absolute_t(centred, draws, seed).T, strict=True):
        test = _with_p(tests[index], differences[index], resampled, level)
        tests[index] = replace(test, draws=draws, seed=seed)
    return tests


def _new_test(differences: Vector) -> PairedTest:
    test = new_test(BOOTSTRAP, differences)
    return test if test.reason or not is_constant(differences) else undefined_test(test, ALL_EQUAL)


def _with_p(test: PairedTest, differences: Vector, drawn: Vector, level: float) -> PairedTest:
    """Return the test with its p and interval. drawn: |t| of every resample."""
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / len(differences) ** 0.5
    t = mean / error
    resampled = np.append(drawn, abs(t))
    p = int((resampled >= abs(t) * (1 - ROUNDING)).sum()) / len(resampled)
    position = len(resampled) - int((1 - level) * len(resampled) + 1e-9)
    reach = float(np.partition(resampled, position - 1)[position - 1]) * error
    interval = Interval(mean - reach, mean + reach, level) if np.isfinite(reach) else None
    return replace(test, statistic=t, p=p, interval=interval)


def _absolute_t(centred: Matrix, draws: int, seed: int) -> Matrix:
    """Return |t| of resamples, shape (draws, systems). centred: shape (topics, systems).

    It is infinite where one topic was drawn n times and its difference is not zero.
    """
    n, systems = centred.shape
    statistics, squares = np.empty((draws, systems)), np.hstack([centred, centred**2])
    rounding, start = ROUNDING * n * np.abs(centred).max(axis=0), 0
    for weights in _resampled(n, draws, seed):
        sums, of_squares = np.hsplit(weights @ squares, 2)
        variance = np.maximum(of_squares - sums**2 / n, 0.0)
        spread = variance > ROUNDING * of_squares  # else rounding alone: one topic was drawn n times
        t = np.where(np.abs(sums) > rounding, np.inf, 0.0)
        np.divide(np.abs(sums), np.sqrt(variance * n / (n - 1)), out=t, where=spread)
        statistics[start : start + len(t)] = t
        start += len(t)
    return statistics


def _resampled(n: int, draws: int, seed: int) -> Iterator[Matrix]:
    """Yield how often each of n topics is drawn, shape (some draws, n)."""
    rng = np.random.default_rng(seed)
    for size in blocks_of(draws, n):
        places = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(places.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)

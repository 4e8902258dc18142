"""Fisher's randomisation test: the difference under random swaps of the systems in each topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metrics.significance.paired import (
    LEVEL,
    ROUNDING,
    Interval,
    PairedTest,
    begin,
    blocks_of,
    checked_level,
    paired_differences,
)
from pooling.arrays import Matrix, Vector

EXACT, SAMPLED = "randomisation test, exact", "randomisation test, sampled"
EXACT_TOPICS = 16  # with more, 2^n is large and a sample as good
FEWEST_DRAWS, MOST_SIGNS = 10_000, 1 << 26  # the signs of all draws together: a second of work
DRAWS = 100_000


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
    draws = draws or min(DRAWS, max(FEWEST_DRAWS, MOST_SIGNS // max(n, 1)))
    tests = [begin(EXACT if exact else SAMPLED, each) for each in differences]
    defined = [place for place, test in enumerate(tests) if not test.reason]
    if defined and exact:
        subsets = [_all_subsets(differences[place]) for place in defined]
    elif defined:
        sums, counts = _some_subsets(np.column_stack([differences[place] for place in defined]), draws, seed)
        subsets = [(column, counts) for column in sums.T]
    for at, place in enumerate(defined):
        found = _counted(tests[place], differences[place], *subsets[at], level)
        tests[place] = found if exact else replace(found, draws=draws, seed=seed)
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
    for each in differences.tolist():
        sums, counts = np.concatenate([sums, sums + each]), np.concatenate([counts, counts + 1])
    return sums, counts


def _some_subsets(differences: Matrix, draws: int, seed: int) -> tuple[Matrix, Vector]:
    """Return the sums and the size of random subsets, the empty one (what happened) first.

    differences: shape (topics, systems). The sums have the shape (draws + 1, systems).
    """
    rng, (n, systems) = np.random.default_rng(seed), differences.shape
    found = np.zeros((draws + 1, systems + 1))
    columns = np.column_stack([differences, np.ones(n)])
    start = 1
    for size in blocks_of(draws, n):
        bits = np.unpackbits(np.frombuffer(rng.bytes(size * -(-n // 8)), dtype=np.uint8).reshape(size, -1), 1)
        found[start : start + size] = bits[:, :n].astype(np.float64) @ columns
        start += size
    return found[:, :systems], found[:, systems]


def _interval(sums: Vector, counts: Vector, level: float) -> Interval | None:
    """Return the differences that are not rejected at 1 - level, None where none ever is."""
    place = int(len(sums) * (1 - level) / 2 + 1e-9)
    means = sums[counts > 0] / counts[counts > 0]
    if not 1 <= place <= len(means):
        return None
    ends = np.partition(means, [place - 1, len(means) - place])
    return Interval(float(ends[place - 1]), float(ends[len(means) - place]), level)

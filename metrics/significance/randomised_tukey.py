"""Randomised Tukey HSD: every pair of many systems, by the range of means under random swaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics.significance.all_pairs import ALPHA, AllPairs, absolute_differences, begin_pairs
from metrics.significance.paired import ROUNDING, blocks_of
from pooling.arrays import Matrix, Vector

NAME = "randomised Tukey HSD"
DRAWS = 10_000


def randomised_tukey_hsd(values: Matrix, alpha: float = ALPHA, draws: int = DRAWS, seed: int = 0) -> AllPairs:
    """Randomised Tukey HSD (Carterette 2012), which assumes nothing about the scores' distribution.

    values: scores of shape (topics, systems). In each draw the systems' names are shuffled in every topic,
    and the best mean less the worst is kept. A pair's p is the share of draws, with what happened as one
    more, whose range is at least its difference: (1 + count) / (1 + draws). The statistic is the
    difference. For two systems this is the randomisation test. Undefined for fewer than two topics or
    systems.
    """
    test = begin_pairs(NAME, values, alpha)
    if test.reason:
        return test
    drawn = ranges_of(values, draws, seed)
    differences = absolute_differences(values)
    width = ROUNDING * float(np.abs(values).max())
    p = (1 + draws - np.searchsorted(drawn, differences - width)) / (1 + draws)
    np.fill_diagonal(p, 1.0)
    place = int(alpha * (1 + draws) + 1e-9)
    critical = float(drawn[draws - place]) if 1 <= place <= draws else None
    signs = np.sign(test.means[:, None] - test.means[None, :])
    return replace(test, statistic=signs * differences, p=p, critical=critical, draws=draws, seed=seed)


def ranges_of(values: Matrix, draws: int, seed: int) -> Vector:
    """Return the best mean less the worst of each draw, ascending; shape (draws,)."""
    rng, found = np.random.default_rng(seed), []
    for size in blocks_of(draws, values.size):
        shuffled = np.repeat(values[None], size, axis=0)
        rng.permuted(shuffled, axis=2, out=shuffled)
        found.append(np.ptp(shuffled.mean(axis=1), axis=1))
    return np.sort(np.concatenate(found))

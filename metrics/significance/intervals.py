"""Confidence intervals of a mean over topics: the studentised bootstrap (bootstrap-t) over topics."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from pooling.arrays import Flags, Matrix, Vector

DRAWS, SEED, LEVEL = 5000, 0, 0.95
CELLS = 1 << 21  # draws x topics in memory at a time
LEAST_TOPICS = 10  # with fewer, no bootstrap over topics covers the share of cases that it claims
MANY_TOPICS = 25  # with fewer, a mean near an end of the range has no interval: see `is_near_end`
NEAR_END = 0.15  # as a share of the range
TOO_FEW = f"fewer than {LEAST_TOPICS} topics"
TOO_EQUAL = "too few topics differ in score"
TOO_NEAR = f"a mean in the lowest or highest {100 * NEAR_END:.0f} % of the range needs {MANY_TOPICS} topics"
ROUNDING = 1e-10  # relative; a smaller difference or variance is rounding


def mean_intervals(
    values: Matrix,
    low: float = -inf,
    high: float = inf,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = LEVEL,
) -> tuple[Vector, Vector] | None:
    """Return the lower and upper ends of the bootstrap-t interval of each column's mean (Efron & Tibshirani
    1993, section 12.5).

    values: float64 of shape (topics, columns). low, high: the range of the measure; no end lies outside it.
    Each draw takes as many topics as there are, with replacement, and the same ones in every column; its t is
    (mean of the draw - mean) / standard error of the draw. The ends are the mean less the upper and the lower
    quantile of t, times the standard error. draws, seed: the same ones give the same intervals.

    Returns two float64 arrays of shape (columns,), or None for fewer than LEAST_TOPICS topics. Both ends are
    nan where too few topics differ in score: in more than (1 - level) / 2 of the draws, nothing varies; and
    where the mean is near an end of the range, for fewer than MANY_TOPICS topics.

    >>> low, high = mean_intervals(np.array([[0.0, 1.0], [1.0, 1.0]] * 20), 0, 1)
    >>> bool(0.3 < low[0] < 0.4 and 0.6 < high[0] < 0.7), float(low[1]), float(high[1])
    (True, nan, nan)
    """
    topics = len(values)
    if topics < LEAST_TOPICS:
        return None
    mean, near = values.mean(axis=0), is_near_end(values, low, high)
    error = values.std(axis=0, ddof=1) / np.sqrt(topics)
    t = _studentised(values - mean, draws, seed)
    # the order statistics outside the level, as infinite values cannot be interpolated
    below = np.quantile(t, (1 - level) / 2, axis=0, method="lower")
    above = np.quantile(t, (1 + level) / 2, axis=0, method="higher")
    varies = (
        np.isfinite(below)
        & np.isfinite(above)
        & (np.ptp(values, axis=0) > ROUNDING * np.abs(values).max(axis=0))
    )
    ends = (mean - np.where(varies & ~near, end, np.nan) * error for end in (above, below))
    lower, upper = (np.clip(end, low, high) for end in ends)
    return lower, upper


def is_near_end(values: Matrix, low: float, high: float) -> Flags:
    """Return whether each column's mean is too near an end of the range for so few topics.

    Scores of such a run are skewed: most topics lie at the end, a few far from it. A sample without one of
    these few has too small a mean and too short an interval, and nothing in it says so. A measure without a
    largest or a smallest value has no such end.
    """
    if len(values) >= MANY_TOPICS or not isfinite(high - low):
        return np.zeros(values.shape[1], dtype=bool)
    mean = values.mean(axis=0)
    near: Flags = np.minimum(mean - low, high - mean) < NEAR_END * (high - low)
    return near


def why_no_interval(values: Vector, low: float, high: float) -> str:
    """Return why the mean of one run, whose ends `mean_intervals` does not give, has no interval."""
    if len(values) < LEAST_TOPICS:
        return TOO_FEW
    near = is_near_end(values[:, None], low, high)[0] and np.ptp(values) > 0
    return TOO_NEAR if near else TOO_EQUAL


def _studentised(centred: Matrix, draws: int, seed: int) -> Matrix:
    """Return t of every draw and column, shape (draws, columns); infinite where a draw does not vary.

    centred: the values less their mean, shape (topics, columns).
    """
    topics = len(centred)
    rng, step = np.random.default_rng(seed), max(1, CELLS // topics)
    t, both = np.empty((draws, centred.shape[1])), np.hstack([centred, centred**2])
    for first in range(0, draws, step):
        chosen = rng.integers(topics, size=(min(step, draws - first), topics))
        rows = chosen + topics * np.arange(len(chosen))[:, None]
        counts = np.bincount(rows.ravel(), minlength=chosen.size).reshape(chosen.shape)
        mean, square = np.hsplit(counts.astype(np.float64) @ both / topics, 2)
        variance = (square - mean**2) / (topics - 1)
        infinite = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
        error = np.sqrt(np.maximum(variance, 0.0))
        t[first : first + step] = np.divide(mean, error, out=infinite, where=variance > ROUNDING * square)
    return t

"""How far a mean over topics may be trusted: percentile bootstrap over topics."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pooling.columns import Vector

Values = npt.NDArray[np.float64]
DRAWS, SEED, LEVEL = 5000, 0, 0.95
CELLS = 1 << 21  # of draws x topics that are held at a time
FEWEST = 2  # topics


def mean_intervals(
    values: Values, draws: int = DRAWS, seed: int = SEED, level: float = LEVEL
) -> tuple[Vector, Vector] | None:
    """Return the lower and upper ends of the percentile bootstrap interval of each column's mean.

    values: float64 of shape (topics, columns). Each draw takes as many topics as there are, with replacement,
    and the same ones in every column. Returns two float64 arrays of shape (columns,), or None for fewer than
    two topics, of which nothing can be said. draws, seed: so that an interval can be made again. Efron 1979.

    >>> low, high = mean_intervals(np.array([[0.0, 1.0], [1.0, 1.0]] * 20))
    >>> bool(0.3 < low[0] < 0.5 < high[0] < 0.7), float(low[1]), float(high[1])
    (True, 1.0, 1.0)
    """
    topics = len(values)
    if topics < FEWEST:
        return None
    rng, step = np.random.default_rng(seed), max(1, CELLS // topics)
    means = np.empty((draws, values.shape[1]))
    for first in range(0, draws, step):
        chosen = rng.integers(topics, size=(min(step, draws - first), topics))
        rows = chosen + topics * np.arange(len(chosen))[:, None]
        counts = np.bincount(rows.ravel(), minlength=chosen.size).reshape(chosen.shape)
        means[first : first + step] = counts @ values / topics
    # a mean lies between the values; rounding in the product may put it just outside
    means = np.clip(means, values.min(axis=0), values.max(axis=0))
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high

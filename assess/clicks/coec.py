"""Clicks over expected clicks (COEC)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assess.clicks.shown_results import Cells
from pooling.arrays import Vector

SHRINKAGE = 10.0  # clicks that were expected, and happened, before the first impression


def click_rates(cells: Cells) -> Vector:
    """Return the mean click rate of every rank: its clicks over its impressions, over all pairs.

    Place 0 is unused. nan for a rank at which nothing was shown.
    """
    impressions = cells.by_rank(cells.impressions)
    return over_expected(cells.by_rank(cells.clicks), impressions, 0)


def over_expected(clicks: npt.ArrayLike, expected: npt.ArrayLike, shrinkage: float = SHRINKAGE) -> Vector:
    """Return (clicks + shrinkage) / (expected + shrinkage); nan where the divisor is 0.

    Without shrinkage, few impressions give extreme values. With it, the value of a document without
    impressions is 1, "as the average document at its ranks".

    >>> over_expected(35, 50 * 0.4 + 100 * 0.06).round(4).item()
    1.25
    """
    above, below = np.asarray(clicks) + shrinkage, np.asarray(expected) + shrinkage
    ratios: Vector = np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0)
    return ratios


def coec(cells: Cells, shrinkage: float = SHRINKAGE) -> Vector:
    """Return clicks over expected clicks of every pair (Zhang & Jones 2007), float64 of shape (pairs,).

    The expected clicks are the sum over its ranks of impressions x mean click rate of the rank. 1 is an
    average document; nan where nothing was expected and `shrinkage` is 0.
    """
    expected = cells.by_pair(cells.impressions * click_rates(cells)[cells.rank])
    return over_expected(cells.by_pair(cells.clicks), expected, shrinkage)

"""The runs that no other run dominates: the Pareto front of effectiveness and one cost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics.rankings.ranking import levelled
from metrics.system_quality.quantities import CostDirection
from pooling.arrays import Flags
from pooling.refusals import Refused


def undominated(
    effectiveness: npt.ArrayLike,
    costs: npt.ArrayLike,
    direction: CostDirection = "higher",
    cost_direction: CostDirection = "lower",
) -> Flags:
    """Tell which runs no other run dominates.

    A run dominates another if it is at least as good on both and better on one. Of runs that are equal on
    both, none dominates the other. Scores that `metrics.rankings.ranking` takes as tied are equal.

    effectiveness, costs: shape (runs,). direction, cost_direction: which values are better. Returns flags of
    shape (runs,). Raises Refused for values that are not finite and for different numbers of values. Source:
    Kung, Luccio & Preparata, "On Finding the Maxima of a Set of Vectors", JACM 22(4), 1975.

    >>> undominated([0.3, 0.5, 0.4, 0.5], [1, 8, 9, 8]).tolist()
    [True, True, False, True]
    """
    gain = np.array(effectiveness, dtype=np.float64) * (1 if direction == "higher" else -1)
    price = np.array(costs, dtype=np.float64) * (1 if cost_direction == "lower" else -1)
    if gain.shape != price.shape or gain.ndim != 1:
        raise Refused("expected one value of effectiveness and one cost of each run")
    if not (np.isfinite(gain).all() and np.isfinite(price).all()):
        raise Refused("expected finite values of effectiveness and cost")
    gain = levelled(gain)
    prices, place = np.unique(price, return_inverse=True)
    best = np.full(len(prices), -np.inf)
    np.maximum.at(best, place, gain)
    cheaper = np.concatenate([[-np.inf], np.maximum.accumulate(best)])[:-1]  # the best gain at a lower price
    flags: Flags = (gain == best[place]) & (gain > cheaper[place])
    return flags

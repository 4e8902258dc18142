"""The pyramid score of a summary: what its content units weigh, over the most that so many could weigh.

A summary content unit (SCU) weighs as much as the number of model summaries that hold it; the units of weight
i are tier i of the pyramid. A. Nenkova and R. Passonneau, Evaluating Content Selection in Summarization,
HLT-NAACL 2004.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


def best_weight(tiers: Mapping[int, int], units: int) -> int:
    """Return the most that `units` different content units can weigh together.

    tiers: weight -> how many units of the pyramid have it. Units beyond the pyramid weigh nothing.

    >>> best_weight({4: 2, 3: 4, 2: 5}, 4)
    14
    """
    total, left = 0, units
    for weight in sorted(tiers, reverse=True):
        taken = min(left, tiers[weight])
        total, left = total + weight * taken, left - taken
    return total


def pyramid_score(
    unit_weights: Iterable[int], tiers: Mapping[int, int], units: int | None = None
) -> float | None:
    """Return the weight of the units that a summary holds, over the best weight of as many units.

    unit_weights: the weight of every unit of the pyramid that the summary holds. tiers: weight -> how many
    units of the pyramid have it. units: how many units the best summary has: by default as many as this one
    (the original score); the average number in the model summaries gives the modified score. Raises
    ValueError when the summary holds more units of a weight than the pyramid. None when the best summary
    weighs nothing.
    """
    weights = list(unit_weights)
    for weight, count in Counter(weights).items():
        most = tiers.get(weight, 0)
        if count > most:
            raise ValueError(f"expected at most {most} units of weight {weight}, found {count}")
    best = best_weight(tiers, len(weights) if units is None else units)
    return sum(weights) / best if best else None

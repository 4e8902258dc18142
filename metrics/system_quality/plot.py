"""The plot of effectiveness against a cost, with the front of the runs that no other run dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metrics.measures.base import Measure
from metrics.plots import Plot, PlotValue
from metrics.system_quality.quantities import Cost, Unit

MOST_GROUPS = 8  # as many symbols has the plot


class CostPoint(NamedTuple):
    """A run in the plot. cost: in the unit that is shown."""

    tag: str
    group: str
    cost: float
    score: float
    is_undominated: bool


def cost_plot(
    measure: Measure, cost: Cost, unit: Unit, points: Sequence[CostPoint], topics: int, group: str = ""
) -> Plot:
    """One point per run, its cost across and its mean score up. points: the cheapest first.

    group: whose runs these are, "" for those of all groups, whose points then differ by group.
    """
    axis, score = f"{cost.quantity.name} ({unit.name})", f"mean {measure.name}"
    better = " and ".join(
        f"{name}: {direction} is better"
        for name, direction in (
            (cost.quantity.name.lower(), cost.quantity.direction),
            (score, measure.direction),
        )
        if direction != "neither"
    )
    whose = f"{len(points)} run{'s' * (len(points) != 1)}{f' of {group}' if group else ''}"
    has_front = any(point.is_undominated for point in points)
    line = "line: the best score that a run reaches at each cost" if has_front else ""
    groups = {point.group for point in points}
    by_group = {"groups": 3} if 2 <= len(groups) <= MOST_GROUPS else {}
    rows: list[list[PlotValue]] = [
        [point.cost, point.score, point.tag, point.group, "yes" if point.is_undominated else ""]
        for point in points
    ]
    return Plot(
        "system-quality",
        "points",
        f"{measure.name} and {cost.quantity.name.lower()}",
        "; ".join(filter(None, (whose, better, line))),
        axis,
        score,
        topics,
        [axis, score, "run", "group", "undominated"],
        rows,
        ({"front": 4} if has_front else {}) | by_group,
    )

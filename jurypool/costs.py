"""Effectiveness against cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from metrics.system_quality import front
from pooling.refusals import Refused


def undominated(
    scores: Mapping[str, float],
    costs: Mapping[str, float],
    *,
    better: Literal["lower", "higher"] = "higher",
    better_cost: Literal["lower", "higher"] = "lower",
) -> list[str]:
    """Return the systems that no other one dominates, the best cost first: the Pareto front.

    A system dominates another if it is at least as good on both and better on one. Systems that are equal on
    both do not dominate each other.

    Parameters
    ----------
    scores, costs
        name of a system -> value, with the same names, such as ``results.means("AP")`` and milliseconds.
    better, better_cost
        Which scores, and which costs, are better: ``"higher"`` or ``"lower"``. Throughput is a cost of which
        higher values are better.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.undominated({"a": 0.2, "b": 0.5, "c": 0.4}, {"a": 1, "b": 8, "c": 9})
    ['a', 'b']
    """
    if differing := sorted(scores.keys() ^ costs.keys()):
        raise Refused(f"expected a score and a cost of each system, found one of them for {differing[0]!r}")
    for way in (better, better_cost):
        if way not in ("higher", "lower"):
            raise Refused(f"expected 'higher' or 'lower', found {way!r}")
    names = list(scores)
    flags = front.undominated(
        [scores[name] for name in names], [costs[name] for name in names], better, better_cost
    )
    sign = 1 if better_cost == "lower" else -1
    kept = [name for name, flag in zip(names, flags.tolist(), strict=True) if flag]
    return sorted(kept, key=lambda name: sign * costs[name])

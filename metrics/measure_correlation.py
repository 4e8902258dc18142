"""The rank correlation between measures on the same systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.many_rankings import compare
from metrics.measure import Direction
from metrics.rank_correlation import ALL_TIED, TAU_AP_A, TAU_B, TOO_FEW
from metrics.ranking import upward
from pooling.arrays import Matrix

Coefficients = tuple[tuple[float | None, ...], ...]
UNRANKED = "a measure ranks no systems: of its values neither higher nor lower ones are better"


@dataclass(frozen=True)
class MeasureCorrelation:
    """The rank correlation of every pair of measures. n: systems.

    tau: Kendall's tau-b of each pair of measures, row and column in the order given; None where a measure
    ties all systems, or ranks none. tau_ap: tau_AP,a; the row's ranking is the reference, so it is not
    symmetric. `reason` says why a value is None, "" where none is.
    """

    n: int
    tau: Coefficients
    tau_ap: Coefficients
    reason: str = ""
    tau_name: str = TAU_B
    tau_ap_name: str = TAU_AP_A


def measure_correlation(means: Matrix, directions: Sequence[Direction] = ()) -> MeasureCorrelation:
    """Return the rank correlation of every pair of measures.

    means: the systems' scores by each measure, shape (systems, measures). directions: which values of each
    are better, higher ones by default; a measure of which neither is better ranks no systems, so that its
    correlations are undefined. Undefined for fewer than two systems. Raises ValueError for another shape, or
    scores that are not finite.
    """
    if means.ndim != 2 or not np.isfinite(means).all():
        raise ValueError(f"expected finite scores of shape (systems, measures), found shape {means.shape}")
    n, measures = means.shape
    if n < 2:
        none: Coefficients = ((None,) * measures,) * measures
        return MeasureCorrelation(n, none, none, TOO_FEW)
    scale = np.abs(means).max(axis=0)
    scaled = means / np.where(scale > 0, scale, 1.0)  # one measure's rounding is not another's difference
    given = directions or ("higher",) * measures
    scaled = np.column_stack([upward(column, each) for column, each in zip(scaled.T, given, strict=True)])
    tau, tau_ap = [], []
    for reference in scaled.T:
        found = compare(reference, scaled)
        untied = found.untied * float(found.untied_in_reference)
        values = found.balance / np.sqrt(np.maximum(untied, 1))
        tau.append(tuple(v if u else None for v, u in zip(values.tolist(), untied.tolist(), strict=True)))
        tau_ap.append(tuple(found.tau_ap_a.tolist()))
    tied = any(value is None for row in tau for value in row)
    unranked = "neither" in given
    if unranked:
        tau, tau_ap = (_without_unranked(table, given) for table in (tau, tau_ap))
    reasons = [ALL_TIED] * tied + [UNRANKED] * unranked
    return MeasureCorrelation(n, tuple(tau), tuple(tau_ap), "; or ".join(reasons))


def _without_unranked(
    table: Sequence[tuple[float | None, ...]], directions: Sequence[Direction]
) -> list[tuple[float | None, ...]]:
    return [
        tuple(
            None if "neither" in (row_direction, direction) else value
            for value, direction in zip(row, directions, strict=True)
        )
        for row, row_direction in zip(table, directions, strict=True)
    ]

"""Rank correlation of two rankings of systems: Kendall's tau, tau_AP and rank-biased overlap.

A ranking is a vector of scores, higher is better; `ranking` says which scores are tied. Where a
coefficient has a version for ties, its name says which: version a is the expected value when ties are broken
at random (ties are a lack of precision), version b treats ties as information, which two rankings may share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.measures.base import Direction
from metrics.rankings.many_rankings import compare_rankings
from metrics.rankings.rank_overlap import PERSISTENCE, TieRule, checked_persistence, rbo
from metrics.rankings.ranking import levelled, tie_places, upward
from pooling.arrays import Matrix, Vector
from pooling.notebook import fields_html

TAU_A, TAU_B = "Kendall's tau-a", "Kendall's tau-b"
TAU_AP_A, TAU_AP_B = "AP rank correlation (tau_AP,a)", "AP rank correlation (tau_AP,b)"
TOO_FEW = "fewer than two systems"
ALL_TIED = "a ranking has all systems tied"


@dataclass(frozen=True)
class Correlation:
    """A coefficient of two rankings. name: of the coefficient, with its version for ties. n: systems.

    value: None where it is undefined; `reason` then says why, and is "" otherwise.
    """

    name: str
    n: int
    value: float | None
    reason: str = ""

    def _repr_html_(self) -> str:
        return fields_html(self)


def kendall_tau_a(first: Vector, second: Vector) -> Correlation:
    """Kendall's tau-a: concordant less discordant pairs, over all pairs (Kendall 1938).

    first, second: scores of the same systems, shape (systems,). A pair that is tied in either ranking counts
    for neither. Undefined for fewer than two systems. Raises ValueError for scores that are not finite, and
    for rankings of unequal length, as all functions here do.

    >>> kendall_tau_a(np.array([5, 4, 3, 2, 1.0]), np.array([4, 5, 3, 2, 1.0])).value
    0.8
    """
    n = _checked(first, second)
    if n < 2:
        return Correlation(TAU_A, n, None, TOO_FEW)
    return Correlation(TAU_A, n, float(compare_rankings(first, second[:, None]).tau_a[0]))


def kendall_tau_b(first: Vector, second: Vector) -> Correlation:
    """Kendall's tau-b: as tau-a, over the geometric mean of each ranking's untied pairs (Kendall 1945).

    What scipy and R call Kendall's tau. Undefined also where a ranking has all systems tied.
    """
    n = _checked(first, second)
    if n < 2:
        return Correlation(TAU_B, n, None, TOO_FEW)
    comparison = compare_rankings(first, second[:, None])
    untied = comparison.untied_in_reference * comparison.untied[0]
    if not untied:
        return Correlation(TAU_B, n, None, ALL_TIED)
    return Correlation(TAU_B, n, float(comparison.balance[0] / np.sqrt(untied)))


def tau_ap_a(reference: Vector, estimate: Vector) -> Correlation:
    """tau_AP of an estimated ranking against the true one: swaps at the top weigh more.

    Of each system of the estimate but the first: the share of those above it that are so in the reference;
    the mean, from -1 to 1 (Yilmaz, Aslam & Robertson 2008). It is not symmetric. Ties: the expected value
    when they are broken at random (Urbano & Marrero 2017), in the reference as well.

    >>> tau_ap_a(np.array([5, 4, 3, 2, 1.0]), np.array([4, 5, 3, 2, 1.0])).value
    0.5
    """
    n = _checked(reference, estimate)
    if n < 2:
        return Correlation(TAU_AP_A, n, None, TOO_FEW)
    return Correlation(TAU_AP_A, n, float(compare_rankings(reference, estimate[:, None]).tau_ap_a[0]))


def tau_and_tau_ap_a(reference: Vector, estimate: Vector) -> tuple[Correlation, Correlation]:
    """`kendall_tau_a` and `tau_ap_a`, from one comparison: it is most of the work of either."""
    n = _checked(reference, estimate)
    if n < 2:
        return kendall_tau_a(reference, estimate), tau_ap_a(reference, estimate)
    comparison = compare_rankings(reference, estimate[:, None])
    tau, tau_ap = (float(values[0]) for values in (comparison.tau_a, comparison.tau_ap_a))
    return Correlation(TAU_A, n, tau), Correlation(TAU_AP_A, n, tau_ap)


def tau_ap_b(first: Vector, second: Vector) -> Correlation:
    """tau_AP for two rankings of which neither is the truth, with ties as opinions (Urbano & Marrero 2017).

    Symmetric: the mean of both directions. Only systems below the first tie group count, and for each
    only the systems above its tie group. Undefined also where a ranking has all systems tied.
    """
    n = _checked(first, second)
    if n < 2:
        return Correlation(TAU_AP_B, n, None, TOO_FEW)
    directions = [_half_tau_ap_b(first, second), _half_tau_ap_b(second, first)]
    if None in directions:
        return Correlation(TAU_AP_B, n, None, ALL_TIED)
    return Correlation(TAU_AP_B, n, sum(half for half in directions if half is not None) / 2)


def _half_tau_ap_b(reference: Vector, estimate: Vector) -> float | None:
    reference, estimate = levelled(reference), levelled(estimate)
    over = estimate[None, :] > estimate[:, None]  # row: a system; column: one above it
    above = over.sum(axis=1)
    right = (over & (reference[None, :] > reference[:, None])).sum(axis=1)
    has_above = above > 0
    return float(2 * np.mean(right[has_above] / above[has_above]) - 1) if has_above.any() else None


def rank_biased_overlap(
    first: Vector, second: Vector, p: float = PERSISTENCE, ties: TieRule = "a"
) -> Correlation:
    """RBO, extrapolated, of two rankings of the same systems (Webber, Moffat & Zobel 2010).

    p: the weight of each rank to that of the one before. ties: "a", "b" (Corsi & Urbano 2024) or "w" (Webber
    et al.); `rank_overlap.rbo` explains them. Undefined without systems; 1 for one. Raises ValueError
    unless 0 < p < 1.

    >>> rank_biased_overlap(np.array([3, 2, 1.0]), np.array([3, 1, 2.0]), p=0.5).value
    0.875
    """
    n = _checked(first, second)
    name = rbo_name(p, ties)
    if not n:
        return Correlation(name, n, None, "no systems")
    (above, size), (others_above, others_size) = tie_places(first), tie_places(second)
    return Correlation(name, n, rbo((above, others_above), (size, others_size), p, ties))


def rbo_name(p: float, ties: TieRule = "a") -> str:
    """Return the name of rank-biased overlap with a persistence. Raises ValueError unless 0 < p < 1."""
    return f"Rank-biased overlap (RBO_ext,{ties}, p={checked_persistence(p):g})"


def _checked(first: Vector, second: Vector) -> int:
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"expected two vectors of equal length, found shapes {first.shape}, {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("expected finite scores")
    return len(first)


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
    scaled = np.column_stack(
        [upward(column, direction) for column, direction in zip(scaled.T, given, strict=True)]
    )
    tau, tau_ap = [], []
    for reference in scaled.T:
        comparison = compare_rankings(reference, scaled)
        untied = comparison.untied * float(comparison.untied_in_reference)
        values = comparison.balance / np.sqrt(np.maximum(untied, 1))
        tau.append(tuple(v if u else None for v, u in zip(values.tolist(), untied.tolist(), strict=True)))
        tau_ap.append(tuple(comparison.tau_ap_a.tolist()))
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

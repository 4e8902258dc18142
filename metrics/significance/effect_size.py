"""Effect sizes: the difference of two systems in standard deviations."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt

import numpy as np

from metrics.significance.paired import ALL_EQUAL, ONE_TOPIC, paired_differences, without_variance
from pooling.arrays import Vector

D_Z = "d_z: mean difference over the standard deviation of differences"
COHEN = "Cohen's d: mean difference over the mean standard deviation of the two systems"
HEDGES = "Hedges' g: Cohen's d, corrected for few topics"
NO_VARIANCE = "neither system's scores vary"


@dataclass(frozen=True)
class EffectSize:
    """A difference in standard deviations. name: in which. n: topics.

    value: None where it is undefined; `reason` then says why, and is "" otherwise.
    """

    name: str
    n: int
    value: float | None
    reason: str = ""


def d_z(first: Vector, second: Vector) -> EffectSize:
    """The effect size of the paired t-test: t over the root of n (Cohen 1988; Sakai 2018).

    first, second: scores of shape (topics,). 0 where all differences are zero. Undefined for fewer than two
    topics, and where all differences are the same but not zero.
    """
    differences = paired_differences(first, second)
    n = len(differences)
    if n < 2:
        return EffectSize(D_Z, n, None, ONE_TOPIC)
    if not differences.any():
        return EffectSize(D_Z, n, 0.0)
    if without_variance(differences):
        return EffectSize(D_Z, n, None, ALL_EQUAL)
    return EffectSize(D_Z, n, float(differences.mean() / differences.std(ddof=1)))


def cohens_d(first: Vector, second: Vector) -> EffectSize:
    """Cohen's d: over the root of the mean of both systems' variances (Cohen 1988).

    Topics vary more than differences do: it is smaller than d_z where systems find the same topics hard.
    Undefined for fewer than two topics, and where neither system's scores vary.
    """
    differences = paired_differences(first, second)
    n = len(differences)
    if n < 2:
        return EffectSize(COHEN, n, None, ONE_TOPIC)
    spread = sqrt((float(np.var(first, ddof=1)) + float(np.var(second, ddof=1))) / 2)
    if spread <= 1e-10 * max(np.abs(first).max(), np.abs(second).max()):
        return EffectSize(COHEN, n, None, NO_VARIANCE)
    return EffectSize(COHEN, n, float(differences.mean()) / spread)


def hedges_g(first: Vector, second: Vector) -> EffectSize:
    """Hedges' g: Cohen's d without the bias that few topics bring, by the exact factor (Hedges 1981).

    Undefined where Cohen's d is.
    """
    found = cohens_d(first, second)
    if found.value is None:
        return EffectSize(HEDGES, found.n, None, found.reason)
    freedom = 2 * (found.n - 1)
    factor = exp(lgamma(freedom / 2) - lgamma((freedom - 1) / 2) - log(freedom / 2) / 2)
    return EffectSize(HEDGES, found.n, found.value * factor)

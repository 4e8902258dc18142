"""Means of the human values of a pool, estimated from a random sample of labels, with 95 % intervals.

y: human values of the sampled documents; f: machine values of the same documents, in the same order. A value
is a grade, or 1 for relevant and 0 for not relevant: the mean is then the share of relevant documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.machine_audits.design import Design, design_of
from metrics.machine_audits.intervals import (
    COMPLETE,
    LEAST_COUNT,
    NONE,
    ONE,
    Z,
    common_enough,
    estimate_of,
    join_notes,
    undefined,
)
from metrics.machine_audits.intervals import Estimate as Estimate
from metrics.machine_audits.intervals import ratio as ratio
from metrics.machine_audits.sample import SampleStratum
from pooling.arrays import Vector
from pooling.refusals import Refused

LEAST_REGRESSION = 10  # labels, below which the slope of the regression is not estimated
LEAST_DIFFERENCE = 0.1  # true-positive rate minus false-positive rate that Rogan and Gladen's formula needs
RARE = f"fewer than {LEAST_COUNT} labels differ from the machine's: the interval is somewhat too narrow"


def human_only(y: npt.ArrayLike, documents: int, share: bool = False) -> Estimate:
    """Return the mean of a plain random sample of `documents` documents, without the machine.

    value = mean(y), variance = (1 - n/N) s_y^2 / n (Cochran, Sampling Techniques, chapter 2). share: whether
    y is 0 or 1 only; near 0 and 1 the interval is then Wilson's. Raises ValueError for more labels than
    documents.
    """
    human = _values(y)
    stratum = SampleStratum("pool", documents, len(human))
    estimate = _stratified(human, design_of(np.zeros(len(human)), [stratum]), share, "human labels alone")
    return estimate if share else common_enough(estimate, human)


def difference(y: npt.ArrayLike, f: npt.ArrayLike, pool_mean: float, documents: int) -> Estimate:
    """Return the machine's mean over the pool, corrected by the mean difference in a plain random sample.

    value = pool_mean + mean(y - f), variance = (1 - n/N) s_(y-f)^2 / n (Cochran, Sampling Techniques, section
    7.3, slope 1). pool_mean: mean of f over all `documents` documents of the pool. A share may leave [0, 1].
    No interval where all differences are the same, unless every document has a label.
    """
    human, machine = _pair(y, f)
    estimate = _corrected(human - machine, pool_mean, documents, "difference")
    rare = estimate.low is not None and np.count_nonzero(human - machine) < LEAST_COUNT and estimate.error
    return estimate._replace(note=join_notes([estimate.note, RARE])) if rare else estimate


def regression(y: npt.ArrayLike, f: npt.ArrayLike, pool_mean: float, documents: int) -> Estimate:
    """Return the regression estimate from a plain random sample; as precise as people alone, or more.

    slope = cov(y, f) / var(f) in the sample, value = slope pool_mean + mean(y - slope f), variance = (1 -
    n/N) s_(y - slope f)^2 / n (Cochran, Sampling Techniques, chapter 7). It is the difference estimate with
    the slope tuned, as in prediction-powered inference (Angelopoulos et al. 2023). The slope is 0, which
    leaves people alone, with fewer than 10 labels or where all f are the same.
    """
    human, machine = _pair(y, f)
    slope = 0.0
    if len(human) >= LEAST_REGRESSION and (variance := machine.var(ddof=1)) > 0:
        slope = float(np.cov(human, machine)[0, 1] / variance)
    return _corrected(human - slope * machine, slope * pool_mean, documents, "regression")


def stratified(
    y: npt.ArrayLike, stratum: npt.ArrayLike, strata: Sequence[SampleStratum], share: bool
) -> Estimate:
    """Return the mean from a sample drawn by strata, as a rule of machine grades: the default estimate.

    value = sum of W_h mean_h(y) with W_h = N_h / N, variance = sum of W_h^2 (1 - n_h/N_h) s_h^2 / n_h
    (Cochran, Sampling Techniques, chapter 5). It needs no model of the machine's errors. stratum: place in
    `strata` of every label. n_h is the number of labels that exist.

    A stratum with fewer than two labels is merged with a neighbour; the note says so. share: whether y is 0
    or 1 only. The interval is normal; for a share it is Wilson's with the effective number of labels where
    the share is near 0 or 1 or a stratum has fewer than 5 labels (`share_interval`). A mean of grades has
    no interval where a stratum has fewer than 5 labels, where fewer than 10 labels leave the most frequent
    grade, or where no label differs within the strata.
    """
    human = _values(y)
    estimate = _stratified(human, design_of(stratum, strata, len(human)), share, "stratified")
    return estimate if share else common_enough(estimate, human)


def rogan_gladen(share: float, tpr: float, fpr: float) -> Estimate:
    """Return the share of relevant documents behind a machine's share: (share - fpr) / (tpr - fpr).

    It carries the rates of an audit to another pool that the machine labelled with the share `share`, and
    holds only if the rates are the same there. Cut to [0, 1]; the note says so. No interval: the errors of
    the three rates are not given. Undefined where tpr - fpr is below 0.1, since the formula then divides by
    almost nothing. Source: Rogan and Gladen 1978. Raises ValueError for rates outside [0, 1].

    >>> round(rogan_gladen(0.194, 0.4604, 0.0969).value, 3)
    0.267
    """
    if not all(0 <= rate <= 1 for rate in (share, tpr, fpr)):
        raise ValueError(f"expected shares from 0 to 1, found {share}, {tpr} and {fpr}")
    method = "Rogan and Gladen"
    if tpr - fpr < LEAST_DIFFERENCE:
        why = f"the true-positive rate is not {LEAST_DIFFERENCE} above the false-positive rate"
        return undefined(method, 0, why)
    value = (share - fpr) / (tpr - fpr)
    cut = min(max(value, 0.0), 1.0)
    notes = [
        "" if cut == value else f"cut from {value:.3f}",
        "no interval: the errors of the rates are not given",
    ]
    return estimate_of(cut, None, None, method, 0, notes)


class DesignEffect(NamedTuple):
    """How many labels of a plain sample, judged without a machine, would be as precise.

    labels: in the sample. by_model: how many they count for in a regression on the machine's values. rho2:
    the squared correlation of human and machine values, weighted to the pool. by_strata: how many they count
    for in this stratified sample. None where undefined; `note` says why.
    """

    labels: int
    rho2: float | None
    by_model: float | None
    by_strata: float | None
    note: str = ""

    @property
    def sentence(self) -> str:
        """The effect of the strata, in words."""
        if self.by_strata is None:
            return f"The gain by the machine is unknown: {self.note}."
        return (
            f"{self.labels:,} human labels in this sample are as precise as {self.by_strata:,.0f} in a plain "
            "random sample judged without a machine."
        )


def design_effect(
    y: npt.ArrayLike, f: npt.ArrayLike, stratum: npt.ArrayLike, strata: Sequence[SampleStratum]
) -> DesignEffect:
    """Return what the machine's values save.

    by_model = n / (1 - rho^2), since the error of a regression is sqrt(1 - rho^2) times that of people alone.
    by_strata = n (variance of a plain sample of n) / (variance of the stratified estimate), both with the
    finite population correction. Source: Cochran, Sampling Techniques, chapters 5 and 7. Undefined without
    spread of the human values, and where a variance cannot be estimated.
    """
    human, machine = _pair(y, f)
    design, n = design_of(stratum, strata, len(human)), len(human)
    if n < 2 or not design.measurable:
        return DesignEffect(n, None, None, None, NONE if not n else ONE)
    share = design.weights / design.documents.sum()
    human_off, machine_off = human - share @ human, machine - share @ machine
    spread, machine_spread = share @ human_off**2, share @ machine_off**2
    variance = float(design.variance_of_total(human)) / design.documents.sum() ** 2
    if spread <= 0 or variance <= 0:
        why = COMPLETE if design.complete else "within the strata, people's labels do not differ"
        return DesignEffect(n, None, None, None, why)
    rho2 = (
        float((share @ (human_off * machine_off)) ** 2 / (spread * machine_spread))
        if machine_spread > 0
        else 0.0
    )
    plain = (1 - n / design.documents.sum()) * spread / (n - 1)
    by_model = n / (1 - rho2) if rho2 < 1 else None
    return DesignEffect(n, rho2, by_model, float(n * plain / variance), "; ".join(design.notes))


def needed(p: float, half_width: float, documents: int | None = None) -> int:
    """Return how many labels of a plain sample give a share near p a 95 % interval of +- half_width.

    n = z^2 p (1 - p) / half_width^2, and n / (1 + n / N) for a pool of N documents (Cochran, Sampling
    Techniques, chapter 4). Raises Refused for a share or half width outside 0 to 1.

    >>> [needed(p, 0.05) for p in (0.1, 0.27, 0.5)]
    [139, 303, 385]
    """
    if not (0 <= p <= 1 and 0 < half_width < 1):
        raise Refused("expected a share from 0 to 1 and a half width between 0 and 1")
    n = Z**2 * p * (1 - p) / half_width**2
    return ceil(n if documents is None else n / (1 + n / documents) if documents else 0)


def _stratified(human: Vector, design: Design, share: bool, method: str) -> Estimate:
    if share and not np.isin(human, (0, 1)).all():
        raise ValueError("expected 0 or 1 as values of a share")
    return ratio(human, np.ones(len(human)), design, share, method)


def _corrected(residual: Vector, shift: float, documents: int, method: str) -> Estimate:
    """Return shift + the mean of the residuals of a plain sample of `documents` documents."""
    estimate = _stratified(
        residual, design_of(np.zeros(len(residual)), [SampleStratum("", documents, 0)]), False, method
    )
    value, low, high = (
        None if number is None else shift + number for number in (estimate.value, estimate.low, estimate.high)
    )
    return estimate._replace(value=value, low=low, high=high)


def _values(y: npt.ArrayLike) -> Vector:
    values = np.asarray(y, dtype=np.float64).reshape(-1)
    if not np.isfinite(values).all():
        raise ValueError("expected numbers as values")
    return values


def _pair(y: npt.ArrayLike, f: npt.ArrayLike) -> tuple[Vector, Vector]:
    human, machine = _values(y), _values(f)
    if len(human) != len(machine):
        raise ValueError(
            f"expected a machine value for each of {len(human)} human values, found {len(machine)}"
        )
    return human, machine

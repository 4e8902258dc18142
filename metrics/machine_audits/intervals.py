"""Estimates with 95 % intervals: the interval of a mean or share, and the reasons where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.judge_checks import wilson
from metrics.machine_audits.design import LEAST_LABELS, Design
from pooling.arrays import Vector

LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
LEAST_COUNT = 10  # labels of the rarer kind, in effect, below which a share gets Wilson's interval
LEAST_NORMAL = 30  # labels, below which a normal interval gets a note

NONE = "no document of the sample has a label"
ONE = "one label has no standard deviation, so there is no interval"
NO_SPREAD = (
    "where documents are left without a label, all labels of the stratum agree, which is no proof that these"
    " documents do, so there is no interval"
)
FEW = f"fewer than {LEAST_LABELS} labels in all or in one stratum, too few for an interval"
NARROW = f"fewer than {LEAST_NORMAL} labels: the interval is somewhat too narrow"
COMPLETE = "every document has a label: there is no sampling error"
RARE_GRADES = (
    f"fewer than {LEAST_COUNT} labels differ from the most frequent grade of people, too few for an interval"
)
IN_EFFECT = "Wilson's interval, because the share is near 0 or 1 or a stratum has few labels"


class Estimate(NamedTuple):
    """An estimate from a sample.

    value, error (standard error), low and high (95 % interval) are in the unit of the values: a share from 0
    to 1, or grades. None where they are undefined; `note` then says why. method: in words. sampled: number of
    labels used. note: what a reader has to know, "" if nothing.
    """

    value: float | None
    error: float | None
    low: float | None
    high: float | None
    method: str
    sampled: int
    note: str = ""

    @property
    def width(self) -> float | None:
        """The width of the interval, None where there is none."""
        return None if self.low is None or self.high is None else self.high - self.low


def undefined(method: str, sampled: int, note: str) -> Estimate:
    """Return an estimate without a value. note: why."""
    return Estimate(None, None, None, None, method, sampled, note)


def ratio(a: Vector, b: Vector, design: Design, share: bool, method: str) -> Estimate:
    """Return the estimate of (sum of a over the pool) / (sum of b over the pool), b being 0 or 1.

    a is 0 where b is: the mean of a over the documents with b = 1. share: whether a is 0 or 1 only. The
    variance is that of the residuals (a - ratio b) / sum of b (Cochran, Sampling Techniques, section 6.11).
    `sampled` counts the labels with b = 1. Undefined if there are none.
    """
    n = int(np.count_nonzero(b))
    if not n:
        return undefined(method, 0, "; ".join([NONE, *design.notes]))
    total = float(design.total(b))
    value = float(design.total(a)) / total
    value = min(max(value, 0.0), 1.0) if share else value  # rounding
    squares = float(np.sum(b * design.weights**2 * design.open_share[design.stratum])) / total**2
    if not squares:
        return estimate_of(value, 0.0, (value, value), method, n, [COMPLETE, *design.notes])
    used = np.bincount(design.stratum, weights=b, minlength=len(design.labels))
    few = (used > 0) & (design.labels < LEAST_LABELS) & (design.labels < design.documents)
    small = n < LEAST_LABELS or bool(few.any())
    if not design.measurable:
        ends = wilson(value / squares, 1 / squares) if share else None
        return estimate_of(value, None, ends, method, n, [IN_EFFECT if share else ONE, *design.notes])
    variance = float(design.variance_of_total((a - value * b) / total))
    if share:
        ends, note = share_interval(value, variance, 1 / squares, small)
    else:
        ends, note = _mean_interval(value, variance, n, small)
    return estimate_of(value, sqrt(variance), ends, method, n, [note, *design.notes])


def share_interval(
    value: float, variance: float, labels: float, small: bool = False
) -> tuple[tuple[float, float] | None, str]:
    """Return the 95 % interval of a share and a note.

    labels: number of labels of a plain sample that would be as precise if all strata had the same share
    (Kish's effective size). The effective number of labels is value (1 - value) / variance. The interval is
    normal where 10 labels of either kind remain in effect. Otherwise, and with `small` strata, it is Wilson's
    (1927) with the smaller of the two numbers, because a variance of 0 or near it is no certainty.
    """
    effective = value * (1 - value) / variance if variance > 0 else 0.0
    if not small and effective * min(value, 1 - value) >= LEAST_COUNT:
        return _reach(value, variance), ""
    n = min(effective, labels) if variance > 0 else labels
    return wilson(value * n, n), IN_EFFECT


def common_enough(estimate: Estimate, human: npt.ArrayLike) -> Estimate:
    """Return an estimate without its interval where fewer than 10 labels leave the most frequent grade.

    human: the grades of people that it is computed from. A normal interval of so few covers in 70 to 90 %.
    """
    _, counts = np.unique(np.asarray(human), return_counts=True)
    if not estimate.error or counts.sum() - counts.max(initial=0) >= LEAST_COUNT:
        return estimate
    return estimate._replace(low=None, high=None, note=join_notes([RARE_GRADES, estimate.note]))


def join_notes(notes: Sequence[str]) -> str:
    """Return notes as one text, without the empty ones."""
    return "; ".join(note for note in notes if note)


def _mean_interval(
    value: float, variance: float, n: int, small: bool
) -> tuple[tuple[float, float] | None, str]:
    if small:
        return None, FEW
    if variance <= 0:
        return None, NO_SPREAD
    return _reach(value, variance), NARROW if n < LEAST_NORMAL else ""


def _reach(value: float, variance: float) -> tuple[float, float]:
    return value - Z * sqrt(variance), value + Z * sqrt(variance)


def estimate_of(
    value: float,
    error: float | None,
    ends: tuple[float, float] | None,
    method: str,
    n: int,
    notes: Sequence[str],
) -> Estimate:
    low, high = ends or (None, None)
    return Estimate(value, error, low, high, method, n, join_notes(notes))

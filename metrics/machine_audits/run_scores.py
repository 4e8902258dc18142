"""Scores of runs with machine labels, corrected by the human labels of a random sample.

Valid for measures that are linear in the labels: P@k, RBP, DCG@k with fixed gains, and nDCG@k only with the
ideal ranking held fixed. A corrected score is unbiased whatever the machine's errors are, but uncertain: for
the order of runs, the labels themselves are the better base.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import numpy.typing as npt

from metrics.machine_audits.design import Design, design_of
from metrics.machine_audits.intervals import FEW, NONE, Estimate, Z, join_notes
from metrics.machine_audits.sample import SampleStratum
from pooling.arrays import Matrix, Vector

CORRECTED, DIFFERENCE = "score corrected by the sample", "difference of corrected scores"
LEAST_CORRECTIONS = 10  # labels that change a score, below which 95 % intervals cover it in fewer than 92 %
ENOUGH_EXPECTED = 15  # corrections expected, of which nine of ten samples hold LEAST_CORRECTIONS
WRONG = 0.15  # share of documents whose relevance the machine gets wrong, in a forecast
UNCHANGED = (
    f"fewer than {LEAST_CORRECTIONS} of the sampled documents change this score, too few for an interval"
)
EMPTY = "a stratum has no label: its machine labels cannot be corrected"
OUTSIDE = "the estimate or its interval leaves 0 to 1, which sampling error can cause"


def score_estimates(
    weights: npt.ArrayLike,
    f: npt.ArrayLike,
    y: npt.ArrayLike,
    places: npt.ArrayLike,
    stratum: npt.ArrayLike,
    strata: Sequence[SampleStratum],
) -> list[Estimate]:
    """Return the corrected mean score of every run.

    weights: how much a label of each pooled document adds to the mean score of each run, shape (runs, pooled
    documents); for P@k over T topics 1 / (k T) for the first k documents of every topic. f: machine values of
    all pooled documents. y: human values of the sampled documents with a label, places: their places in the
    pool, stratum: the places of their strata in `strata`.

    S = sum over the pool of w f + sum over the sample of w (y - f) / pi with pi = n_h / N_h; variance = sum
    of N_h^2 (1 - n_h/N_h) s_h^2 / n_h, s_h of w (y - f): a difference estimate with Horvitz-Thompson weights
    (Cochran, Sampling Techniques, chapters 5 and 9A). An estimate may leave the range of the measure.

    No interval where a stratum that is not complete has fewer than 5 labels, and none where fewer than 10
    labels change the score, since w (y - f) is then 0 for almost all of the sample: a small or zero standard
    error is no certainty. No standard error with 1 label in a stratum, and no value with none.
    Strata are not merged: the weights differ between documents. Raises ValueError for shapes that do not fit.
    """
    weight, machine, human = (np.asarray(array, dtype=np.float64) for array in (weights, f, y))
    at = np.asarray(places, dtype=np.int64).reshape(-1)
    if weight.ndim != 2 or machine.shape != weight.shape[1:] or human.shape != at.shape:
        raise ValueError("expected weights of runs x documents, and a place for every human value")
    if len(np.unique(at)) != len(at) or (len(at) and not 0 <= at.min() <= at.max() < len(machine)):
        raise ValueError("expected every sampled document once, by its place in the pool")
    design = design_of(stratum, strata, len(at), merge=False)
    if not (design.labels > 0).all():
        why = join_notes([EMPTY if len(at) else NONE, *design.notes])
        return [Estimate(None, None, None, None, CORRECTED, len(at), why) for _ in weight]
    residuals = weight[:, at] * (human - machine[at])
    values = weight @ machine + design.total(residuals)
    return _estimates(values, residuals, design)


def difference_estimate(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    f: npt.ArrayLike,
    y: npt.ArrayLike,
    places: npt.ArrayLike,
    stratum: npt.ArrayLike,
    strata: Sequence[SampleStratum],
) -> Estimate:
    """Return the corrected score of run b minus that of run a, from their weights, shape (pooled documents,).

    The same labels correct both runs, so the error is computed from the difference of the weights, and not
    from the errors of the two scores. Other parameters and undefined cases are those of `score_estimates`.
    """
    weights = np.asarray(b, dtype=np.float64) - np.asarray(a, dtype=np.float64)
    (estimate,) = score_estimates(weights[None], f, y, places, stratum, strata)
    return estimate._replace(method=DIFFERENCE)


def labels_for_intervals(documents: int, topics: int, cutoff: int = 10) -> int:
    """Return about how many labels give most runs an interval of P@cutoff, if the machine errs in 15 %.

    A label changes the score of a run if the document is among its first `cutoff` of the topic, and the
    machine is wrong. At most `documents`.

    >>> labels_for_intervals(4000, 50)
    800
    """
    ranked = min(cutoff * topics, documents)
    return min(ceil(ENOUGH_EXPECTED * documents / (ranked * WRONG)), documents) if ranked else 0


def leaves_range(estimate: Estimate, low: float = 0.0, high: float = 1.0) -> str:
    """Return the sentence for an estimate or interval outside the range of its measure, "" if inside."""
    ends = [value for value in (estimate.value, estimate.low, estimate.high) if value is not None]
    return OUTSIDE if any(not low <= end <= high for end in ends) else ""


def _estimates(values: Vector, residuals: Matrix, design: Design) -> list[Estimate]:
    """Return estimates of values with the variance of their residuals, shape (runs, labels)."""
    n = len(design.stratum)
    if not design.measurable:
        note = join_notes([FEW, *design.notes])
        return [Estimate(float(value), None, None, None, CORRECTED, n, note) for value in values]
    errors = np.sqrt(design.variance_of_total(residuals))
    return [
        _estimate(float(value), float(error), int(count), n, design)
        for value, error, count in zip(values, errors, np.count_nonzero(residuals, axis=1), strict=True)
    ]


def _estimate(value: float, error: float, corrections: int, n: int, design: Design) -> Estimate:
    few = "" if corrections >= LEAST_CORRECTIONS else UNCHANGED
    why = "" if design.complete else FEW if design.small else few
    note = join_notes([why, *design.notes])
    if why:
        return Estimate(value, error, None, None, CORRECTED, n, note)
    return Estimate(value, error, value - Z * error, value + Z * error, CORRECTED, n, note)

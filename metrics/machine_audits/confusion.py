"""A machine's grades beside people's over the whole pool, estimated from a stratified random sample.

Every label counts for N_h / n_h documents. y: human grades of the sampled documents; f: machine grades of the
same documents; stratum: place in `strata` of the stratum of each. A document is relevant if its grade is at
least the threshold. Intervals are of 95 %; those of shares are as in `estimates.share_interval`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.machine_audits.design import Design, design_of
from metrics.machine_audits.intervals import (
    COMPLETE,
    FEW,
    NO_SPREAD,
    NONE,
    ONE,
    Estimate,
    Z,
    common_enough,
    join_notes,
    ratio,
    undefined,
)
from metrics.machine_audits.sample import SampleStratum
from pooling.arrays import Flags, IntVector, Matrix, Vector

ONE_GRADE = "all labels are the same: chance alone could not disagree"


class Labelled(NamedTuple):
    """Human and machine grades of sampled documents, with the design of the sample (see `labelled`)."""

    human: IntVector
    machine: IntVector
    design: Design


class Rates(NamedTuple):
    """How a machine finds relevant documents.

    share_machine: of the pool's documents, from the sample; exact if the strata are the machine grades, None
    without labels. share_human: of the pool's documents. precision: share of relevant documents among those
    that the machine finds relevant. true_positive_rate: share that the machine finds among the relevant ones;
    false_negative_rate is the rest. false_positive_rate: share that the machine finds relevant among the
    others. agreement: share with the same answer. kappa: Cohen's, of the two answers. over_rating: share of
    the machine minus share of people.
    """

    share_machine: float | None
    share_human: Estimate
    over_rating: Estimate
    precision: Estimate
    true_positive_rate: Estimate
    false_negative_rate: Estimate
    false_positive_rate: Estimate
    agreement: Estimate
    kappa: Estimate


class GradeRow(NamedTuple):
    """What a machine grade means.

    documents: estimated number in the pool (exact if the strata are the machine grades). sampled: labels.
    calibrated: mean human grade. over_rating: machine grade minus mean human grade, in grades. relevant:
    share of documents that people find relevant.
    """

    grade: int
    documents: float
    sampled: int
    calibrated: Estimate
    over_rating: Estimate
    relevant: Estimate


class Bin(NamedTuple):
    """Documents whose machine probability is from `low` up to `high`.

    weight: their share of the pool. mean: of the probability. relevant: share that people find relevant.
    """

    low: float
    high: float
    sampled: int
    weight: float
    mean: float | None
    relevant: Estimate


class Calibration(NamedTuple):
    """Bins of the machine's probability, and the expected calibration error: sum of weight |mean - share|.

    error: from 0 to 1, None without labels. It is rarely 0 even for a calibrated machine, since the shares of
    the bins are estimated.
    """

    bins: tuple[Bin, ...]
    error: float | None


def labelled(
    y: npt.ArrayLike, f: npt.ArrayLike, stratum: npt.ArrayLike, strata: Sequence[SampleStratum]
) -> Labelled:
    """Return grades with their design. Raises ValueError for inputs of different lengths."""
    human, machine = (np.asarray(grades, dtype=np.int64).reshape(-1) for grades in (y, f))
    if len(human) != len(machine):
        raise ValueError(f"expected {len(human)} machine grades, found {len(machine)}")
    return Labelled(human, machine, design_of(stratum, strata, len(human)))


def weighted_table(labels: Labelled, grades: int) -> Matrix:
    """Return the confusion matrix in documents of the pool: rows machine grades, columns human grades.

    grades: number of grades of the scale, from 0. Shape (grades, grades); the sum is the number of documents.
    Raises ValueError for a grade off the scale.
    """
    human, machine, design = labels
    if len(human) and (min(human.min(), machine.min()) < 0 or max(human.max(), machine.max()) >= grades):
        raise ValueError(f"expected grades from 0 to {grades - 1}")
    cells = np.zeros((grades, grades))
    np.add.at(cells, (machine, human), design.weights)
    return cells


def rates(labels: Labelled, threshold: int) -> Rates:
    """Return the rates of the machine at a threshold; each undefined where no label is of its kind."""
    human, machine = (grades >= threshold for grades in (labels.human, labels.machine))
    everything = np.ones(len(human), dtype=np.bool_)
    design = labels.design

    def share(of: Flags, among: Flags, name: str) -> Estimate:
        return ratio((of & among).astype(np.float64), among.astype(np.float64), design, True, name)

    off = machine.astype(np.float64) - human
    return Rates(
        float(design.total(machine.astype(np.float64)) / design.documents.sum()) if len(human) else None,
        share(human, everything, "share relevant, stratified"),
        ratio(off, np.ones(len(off)), design, False, "share of the machine minus share of people"),
        share(human, machine, "precision"),
        share(machine, human, "true-positive rate"),
        share(~machine, human, "false-negative rate"),
        share(machine, ~human, "false-positive rate"),
        share(human == machine, everything, "agreement"),
        _kappa(human.astype(np.int64), machine.astype(np.int64), 2, design),
    )


def kappa(labels: Labelled, grades: int) -> Estimate:
    """Return Cohen's kappa of all grades, unweighted by distance, over the pool.

    Source of the standard error: the linear terms of kappa in the cells (Fleiss, Cohen and Everitt 1969),
    with the variance of the stratified sample. Undefined without labels, or where all of both sides are one
    grade. No interval where a stratum has fewer than 5 labels, where fewer than 10 labels leave the most
    frequent human grade, or where the standard error is 0.
    """
    weighted_table(labels, grades)  # refuses grades off the scale
    return _kappa(labels.human, labels.machine, grades, labels.design)


def by_grade(labels: Labelled, grades: int, threshold: int) -> list[GradeRow]:
    """Return a row for each machine grade of the scale, from 0 to grades - 1."""
    return [_grade_row(grade, labels, threshold) for grade in range(grades)]


def over_rating(labels: Labelled, among: Flags) -> Estimate:
    """Return the mean of machine grade minus human grade, in grades, over some documents of the pool.

    among: which of the sampled documents belong to these, such as those of a topic or of a group of runs,
    shape (labels,). Above 0 the machine is more generous than people.
    """
    off = ((labels.machine - labels.human) * among).astype(np.float64)
    estimate = ratio(off, among.astype(np.float64), labels.design, False, "machine grade minus human grade")
    return common_enough(estimate, labels.human[among])


def calibration(
    p: npt.ArrayLike,
    relevant: npt.ArrayLike,
    stratum: npt.ArrayLike,
    strata: Sequence[SampleStratum],
    bins: int = 10,
) -> Calibration:
    """Return how the machine's probability of relevance compares with the share that people find relevant.

    p: probabilities of the sampled documents, from 0 to 1; relevant: 0 or 1 by people. The bins have equal
    width; a probability of 1 belongs to the last. Raises ValueError for probabilities outside 0 to 1.
    """
    probability, human = (np.asarray(values, dtype=np.float64).reshape(-1) for values in (p, relevant))
    if len(probability) != len(human) or not ((probability >= 0) & (probability <= 1)).all():
        raise ValueError("expected a probability from 0 to 1 for every label")
    design = design_of(stratum, strata, len(human))
    bin_of = np.minimum((probability * bins).astype(np.int64), bins - 1)
    rows = [
        _bin(number / bins, (number + 1) / bins, probability, human, bin_of == number, design)
        for number in range(bins)
    ]
    gaps = [
        row.weight * abs(row.mean - row.relevant.value)
        for row in rows
        if row.mean is not None and row.relevant.value is not None
    ]
    return Calibration(tuple(rows), sum(gaps) if gaps else None)


def _grade_row(grade: int, labels: Labelled, threshold: int) -> GradeRow:
    human, machine, design = labels
    here = machine == grade
    among = here.astype(np.float64)
    return GradeRow(
        grade,
        float(design.total(among)),
        int(here.sum()),
        common_enough(ratio(human * among, among, design, False, "mean human grade"), human[here]),
        over_rating(labels, here),
        ratio((human >= threshold) * among, among, design, True, "share relevant"),
    )


def _bin(low: float, high: float, p: Vector, human: Vector, here: Flags, design: Design) -> Bin:
    among = here.astype(np.float64)
    total = float(design.total(among))
    mean = float(design.total(p * among)) / total if total else None
    share = total / float(design.documents.sum()) if total else 0.0
    return Bin(low, high, int(here.sum()), share, mean, ratio(human * among, among, design, True, "share"))


def _kappa(human: IntVector, machine: IntVector, grades: int, design: Design) -> Estimate:
    name, n = "Cohen's kappa", len(human)
    if not n:
        return undefined(name, 0, join_notes([NONE, *design.notes]))
    table = weighted_table(Labelled(human, machine, design), grades)
    table /= table.sum()
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, expected = float(np.trace(table)), float(rows @ columns)
    if 1 - expected < 1e-12:
        return undefined(name, n, join_notes([ONE_GRADE, *design.notes]))
    value = (observed - expected) / (1 - expected)
    why = "" if design.complete else FEW if design.small else "" if design.measurable else ONE
    if why:
        return Estimate(value, None, None, None, name, n, join_notes([why, *design.notes]))
    slope = ((human == machine) - (1 - value) * (columns[machine] + rows[human])) / (1 - expected)
    error = sqrt(float(design.variance_of_total(slope))) / float(design.documents.sum())
    if design.complete:
        return Estimate(value, 0.0, value, value, name, n, COMPLETE)
    if error < 1e-12:
        return Estimate(value, error, None, None, name, n, join_notes([NO_SPREAD, *design.notes]))
    low, high = max(value - Z * error, -1.0), min(value + Z * error, 1.0)
    return common_enough(Estimate(value, error, low, high, name, n, join_notes(design.notes)), human)

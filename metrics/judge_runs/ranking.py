"""A machine judge compared with people: agreement of labels, and the order of runs that its labels induce."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import Coefficient
from assess.kappa.pairs import coefficients_of_table
from assess.kappa.registry import REGISTRY
from metrics.engine.confusion import ContingencyTable
from metrics.measures.base import Direction
from metrics.rankings.rank_correlation import Correlation, tau_and_tau_ap_a
from metrics.rankings.ranking import ranks, upward
from pooling.arrays import Flags, IntVector, Vector

KAPPAS = [REGISTRY[key] for key in ("cohen", "cohen-quadratic", "cohen-binary")]
BINS = 10  # of equal width, of confidences from 0 to 1


class Labels(NamedTuple):
    """The labels of a machine judge on judged documents.

    grades: int64, off the scale where it has none. confidences: float64 from 0 to 1; shape (documents,).
    """

    grades: IntVector
    confidences: Vector


class LabelAgreement(NamedTuple):
    """The agreement of a machine judge with people, on the documents that both have labelled.

    documents: that people judged; labelled: of these by the machine. kappa, weighted, binary: Cohen's kappa
    of grades, with quadratic weights, and of the two classes at the threshold. table: its classes, people's
    as the truth. over_rating: mean of its grade less people's, None without documents. calibration_error: see
    `calibration_error`.
    """

    documents: int
    labelled: int
    kappa: Coefficient
    weighted: Coefficient
    binary: Coefficient
    table: ContingencyTable
    over_rating: float | None
    calibration_error: float | None

    @property
    def coverage(self) -> float | None:
        return self.labelled / self.documents if self.documents else None

    @property
    def relevant_share(self) -> float | None:
        """The share of the labelled documents that the machine judge found relevant."""
        return (self.table.tp + self.table.fp) / self.labelled if self.labelled else None

    @property
    def relevant_share_of_people(self) -> float | None:
        """The share of the same documents that people found relevant."""
        return (self.table.tp + self.table.fn) / self.labelled if self.labelled else None


def label_agreement(people: IntVector, machine: Labels, scale: list[int], threshold: int) -> LabelAgreement:
    """Return the agreement of a machine judge with people.

    people: grades of the scale, of the same documents. Grades of the machine that are not on the scale count
    as no label.

    >>> machine = Labels(np.array([2, 0, 1, -1]), np.ones(4))
    >>> agreement = label_agreement(np.array([2, 0, 0, 1]), machine, [0, 1, 2], 1)
    >>> agreement.coverage, agreement.over_rating, agreement.table.precision, round(agreement.kappa.value, 2)
    (0.75, 0.3333333333333333, 0.5, 0.5)
    """
    both = np.isin(machine.grades, scale) & np.isin(people, scale)
    own, given = (np.searchsorted(scale, grades[both]) for grades in (machine.grades, people))
    counts = np.bincount(given * len(scale) + own, minlength=len(scale) ** 2).reshape(len(scale), len(scale))
    cut = scale.index(threshold)
    table = ContingencyTable(
        tp=int(counts[cut:, cut:].sum()),
        fp=int(counts[:cut, cut:].sum()),
        fn=int(counts[cut:, :cut].sum()),
        tn=int(counts[:cut, :cut].sum()),
    )
    kappa, weighted, binary = coefficients_of_table(counts, tuple(scale), threshold, KAPPAS)
    differences = machine.grades[both] - people[both]
    return LabelAgreement(
        len(people),
        int(both.sum()),
        kappa,
        weighted,
        binary,
        table,
        float(differences.mean()) if len(differences) else None,
        calibration_error(machine.confidences[both], differences == 0),
    )


def calibration_error(confidences: Vector, right: Flags) -> float | None:
    """Return the expected calibration error: how far the confidence is from the share of equal grades.

    The mean over documents of the absolute difference of mean confidence and share, each within its one of
    BINS bins of confidence (Naeini, Cooper & Hauskrecht 2015). None where all confidences are equal: they
    then say nothing about single labels.

    >>> calibration_error(np.array([0.9, 0.9, 0.5, 0.5]), np.array([True, True, True, False]))
    0.04999999999999999
    """
    if not len(confidences) or confidences.min() == confidences.max():
        return None
    bins = np.minimum((confidences * BINS).astype(np.int64), BINS - 1)
    sums, equal = (
        np.bincount(bins, weights, minlength=BINS) for weights in (confidences, right.astype(float))
    )
    return float(np.abs(sums - equal).sum() / len(confidences))


class InducedOrder(NamedTuple):
    """The order of runs by a machine judge's labels, compared with the order by people's.

    tau, tau_ap: people's order is the reference. drop: the most ranks that a run loses; dropped: its place
    among the runs, -1 if no run loses a rank. own_change: mean number of ranks that the runs of the judge's
    own group gain (negative: lose), None if the group has none; own: the number of these runs.
    """

    tau: Correlation
    tau_ap: Correlation
    drop: int
    dropped: int
    own_change: float | None
    own: int


def induced_order(people: Vector, machine: Vector, direction: Direction, own: Flags) -> InducedOrder:
    """Return the comparison of two orders of the same runs.

    people, machine: mean scores of the runs by either labels, shape (runs,). own: runs of the judge's group.

    >>> people, machine = np.array([0.9, 0.5, 0.1]), np.array([0.5, 0.1, 0.9])
    >>> order = induced_order(people, machine, "higher", np.array([False, False, True]))
    >>> round(order.tau.value, 3), order.drop, order.dropped, order.own_change
    (-0.333, 1, 0, 2.0)
    """
    tau, tau_ap = tau_and_tau_ap_a(upward(people, direction), upward(machine, direction))
    if not len(people):
        return InducedOrder(tau, tau_ap, 0, -1, None, 0)
    gained = ranks(people, direction) - ranks(machine, direction)
    dropped, count = int(gained.argmin()), int(own.sum())
    drop = max(0, -int(gained[dropped]))
    change = float(gained[own].mean()) if count else None
    return InducedOrder(tau, tau_ap, drop, dropped if drop else -1, change, count)

"""How strict judges are: their shares of each grade, and tests of whether these differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import NO_OVERLAP, ROUNDING_ERROR, Floats, finite_or_none, ratio
from assess.kappa.labels import Labels
from assess.kappa.tables import Counts, label_counts, label_totals
from assess.kappa.weights import Values
from pooling.arrays import IntVector
from pooling.extras import import_extra

MIN_OF_A_GRADE = 50  # documents; with fewer, intervals of kappa are too narrow
MIN_DIFFERING = 25  # documents on which two judges differ; with fewer, chi-squared is not accurate
SAME_EVERYWHERE = "the judges never differ"
ONE_SIDED = "every document differs, and in one direction"


class Homogeneity(NamedTuple):
    """A test that two judges give each grade equally often. None where `reason` says why not.

    statistic, degrees: of chi-squared; None and 0 for an exact test, whose name says so.
    """

    name: str
    statistic: float | None
    degrees: int
    p_value: float | None
    reason: str = ""


class RelevantRate(NamedTuple):
    """A judge's share of relevant labels. rate: None for a judge without labels."""

    judge: str
    labels: int
    relevant: int
    rate: float | None


class Balance(NamedTuple):
    """Indices of what separates kappa from percent agreement in a 2 x 2 table (Byrt, Bishop & Carlin 1993).

    prevalence: PI, (both relevant - both not relevant) / n. Near -1 or 1 nearly all documents are in one
    class, expected agreement is high and kappa low (the prevalence paradox). bias: BI, the first judge's
    relevant rate minus the second's. adjusted: PABAK, 2 x percent agreement - 1, the kappa if both were 0.
    """

    prevalence: float
    bias: float
    adjusted: float


def relevant_rates(labels: Labels) -> list[RelevantRate]:
    """Return each judge's share of labels at or above the threshold, in the judges' order."""
    votes = label_totals(labels)
    given, relevant = votes.sum(axis=1), votes[:, labels.cut :].sum(axis=1)
    return [
        RelevantRate(judge, n, count, count / n if n else None)
        for judge, n, count in zip(labels.judges, given.tolist(), relevant.tolist(), strict=True)
    ]


class RarestGrade(NamedTuple):
    """The grade that the fewest documents have from any judge, among those with two or more labels.

    documents: how many have it.
    """

    grade: int
    documents: int

    @property
    def is_few(self) -> bool:
        """Whether they are too few for reliable standard errors and intervals."""
        return self.documents < MIN_OF_A_GRADE


def rarest_grade(labels: Labels) -> RarestGrade | None:
    """Return the rarest grade in use; None where no document has two labels."""
    counts = label_counts(labels)
    return _rarest((counts[counts.sum(axis=1) > 1] > 0).sum(axis=0), labels.scale)


def rarest_of_table(counts: Counts, scale: Values) -> RarestGrade | None:
    """Return the rarest grade of two judges, from their confusion matrix."""
    return _rarest(counts.sum(axis=0) + counts.sum(axis=1) - np.diag(counts), scale)


def _rarest(documents: IntVector, scale: Values) -> RarestGrade | None:
    given = [RarestGrade(grade, int(count)) for grade, count in zip(scale, documents, strict=True) if count]
    return min(given, key=lambda each: each.documents, default=None)


def balance(table: npt.ArrayLike) -> Balance | None:
    """Return the indices of a 2 x 2 confusion matrix, `not relevant` first. None when it is empty.

    >>> balance([[118, 5], [2, 0]])
    Balance(prevalence=-0.944, bias=-0.024, adjusted=0.888)
    """
    (neither, second_only), (first_only, both) = np.asarray(table).tolist()
    n = neither + second_only + first_only + both
    if not n:
        return None
    differ = first_only + second_only
    return Balance((both - neither) / n, (first_only - second_only) / n, (both + neither - differ) / n)


def mcnemar(table: npt.ArrayLike) -> Homogeneity:
    """McNemar's test (1947) of a 2 x 2 table: whether one judge is stricter. No continuity correction.

    The exact binomial test where the judges differ on few documents.

    >>> test = mcnemar([[20, 1], [6, 20]])
    >>> test.name, test.p_value
    ('McNemar, exact', 0.125)
    """
    counts = np.asarray(table, dtype=float)
    differ, apart = counts[0, 1] + counts[1, 0], counts[0, 1] - counts[1, 0]
    if 0 < differ < MIN_DIFFERING:
        binomtest = import_extra("scipy.stats").binomtest
        p_value = float(binomtest(int(counts[0, 1]), int(differ)).pvalue)
        return Homogeneity("McNemar, exact", None, 0, p_value)
    return _tested("McNemar", float(ratio(apart**2, differ)), int(differ > 0), counts)


def stuart_maxwell(table: npt.ArrayLike) -> Homogeneity:
    """Stuart (1955) and Maxwell's (1970) test that both judges give each grade equally often.

    table: shape (grades, grades). Grades without any difference between them are compared within their own
    group only, so `degrees` is the number of grades minus the number of such groups.
    """
    counts = np.asarray(table, dtype=float)
    statistic, degrees = _stuart_maxwell(counts)
    return _tested("Stuart-Maxwell", statistic, degrees, counts)


def bhapkar(table: npt.ArrayLike) -> Homogeneity:
    """Bhapkar's test (1966) of the same, more powerful: W / (1 - W / n) of Stuart and Maxwell's W."""
    counts = np.asarray(table, dtype=float)
    statistic, degrees = _stuart_maxwell(counts)
    return _tested("Bhapkar", float(ratio(statistic, 1 - ratio(statistic, counts.sum()))), degrees, counts)


def _stuart_maxwell(counts: Floats) -> tuple[float, int]:
    """Return the statistic and its degrees of freedom."""
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    # the matrix is singular: a direction without variance has no difference either
    spread, directions = np.linalg.eigh(np.diag(rows + columns) - counts - counts.T)
    varies = spread > ROUNDING_ERROR * counts.sum()
    apart = (rows - columns) @ directions[:, varies]
    return float((apart**2 / spread[varies]).sum()), int(varies.sum())


def _tested(name: str, statistic: float, degrees: int, counts: Floats) -> Homogeneity:
    if not counts.sum():
        return Homogeneity(name, None, 0, None, NO_OVERLAP)
    if not degrees:
        return Homogeneity(name, None, 0, None, SAME_EVERYWHERE)
    if finite_or_none(statistic) is None:
        return Homogeneity(name, None, degrees, None, ONE_SIDED)
    chdtrc = import_extra("scipy.special").chdtrc
    return Homogeneity(name, statistic, degrees, float(chdtrc(degrees, statistic)))

"""Recall as the model expects it, from its own probabilities."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class ProbabilitySums(NamedTuple):
    """Sums over the probabilities of relevance, judged documents and the others.

    judged, rest: expected numbers of relevant documents, sum p. judged_variance, rest_variance: of these
    numbers, sum p (1 - p).
    """

    judged: float
    rest: float
    judged_variance: float
    rest_variance: float


class ExpectedRecall(NamedTuple):
    """Recall as the model expects it. value: None where the model expects no relevant document."""

    value: float | None
    variance: float | None

    def at_least(self, target: float, z: float) -> bool:
        """Whether the recall, less z standard deviations, is at least the target; no if undefined."""
        if self.value is None or self.variance is None:
            return False
        return self.value - z * sqrt(self.variance) >= target


def probability_sums(judged: ArrayLike, rest: ArrayLike) -> ProbabilitySums:
    """Return the sums over the probabilities of judged documents and of the others, each of any shape.

    Raises ValueError for a probability outside 0 to 1.
    """
    known, unknown = np.asarray(judged, dtype=np.float64), np.asarray(rest, dtype=np.float64)
    for values in (known, unknown):
        if not ((values >= 0) & (values <= 1)).all():
            raise ValueError("expected probabilities from 0 to 1")
    return ProbabilitySums(
        float(known.sum()),
        float(unknown.sum()),
        float((known * (1 - known)).sum()),
        float((unknown * (1 - unknown)).sum()),
    )


def expected_recall(sums: ProbabilitySums) -> ExpectedRecall:
    """Return sum_K p / (sum_K p + sum_U p) for judged documents K and the others U, and its variance.

    The variance is (sum_K p)^2 / total^4 sum_all p (1 - p) + 1 / total^2 sum_K p (1 - p), with total the sum
    over all documents. It holds only if the probabilities are right; those of a model whose training weighs
    both classes equally are too high. Source: Yang, Lewis & Frieder, Heuristic stopping rules for
    technology-assisted review, DocEng 2021.

    >>> recall = expected_recall(probability_sums([0.9, 0.8, 0.7, 0.2], [0.6, 0.3, 0.1, 0.05, 0.05, 0.02]))
    >>> f"{recall.value:.4f} {recall.variance:.4f}"
    '0.6989 0.0898'
    """
    total = sums.judged + sums.rest
    if not total:
        return ExpectedRecall(None, None)
    everywhere = sums.judged_variance + sums.rest_variance
    variance = sums.judged**2 / total**4 * everywhere + sums.judged_variance / total**2
    return ExpectedRecall(sums.judged / total, variance)

"""Logistic regression of sparse rows: the learner of continuous active learning."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pooling.arrays import Flags, Vector
from pooling.extras import import_extra

C = 1.0
TOLERANCE = 1e-4  # length of the gradient, and so of the error of the weights
ITERATIONS = 200


class LogisticModel(NamedTuple):
    """A model of relevance. weights: of the terms, shape (terms,). intercept: added to each score, or 0."""

    weights: Vector
    intercept: float

    def scores(self, matrix: Any) -> Vector:
        """Return the log odds of relevance of each row of a CSR matrix, shape (rows,)."""
        scores: Vector = matrix @ self.weights + self.intercept
        return scores

    def probabilities(self, matrix: Any) -> Vector:
        """Return the model's probability of relevance of each row, shape (rows,).

        The classes were given equal weight, so that these are too high where few documents are relevant.
        """
        return chances_of(self.scores(matrix))


def chances_of(scores: Vector) -> Vector:
    """Return the probabilities of log odds, 1 / (1 + exp(-score)).

    >>> chances_of(np.array([0.0, -800.0])).tolist()
    [0.5, 0.0]
    """
    expit = import_extra("scipy.special").expit
    chances: Vector = expit(scores)
    return chances


def fit_logistic(
    matrix: Any, relevant: Flags, start: LogisticModel | None = None, c: float = C, intercept: bool = False
) -> LogisticModel:
    """Return the L2-regularised logistic regression of labelled rows.

    It minimises |w|^2 / 2 + c sum_i s_i ln(1 + exp(-y_i (w x_i + b))), with y 1 or -1 and s_i = n / (2 n_k)
    for the n_k rows of the row's class, so that both classes weigh the same. The loss is strictly convex, so
    that every optimiser finds the same point; this one is SciPy's Newton method in a trust region. (Its
    L-BFGS-B waits for threads of BLAS between tiny steps.) Equal input gives equal output.

    matrix: CSR matrix of shape (rows, terms). relevant: shape (rows,). start: the model from which the
    optimiser starts, such as that of the round before; it changes the result only within the tolerance.
    intercept: whether b is free, and not regularised; otherwise it is 0.
    Raises ValueError unless both classes have a row.
    """
    minimize = import_extra("scipy.optimize").minimize
    csr_matrix = import_extra("scipy.sparse").csr_matrix
    count = int(np.count_nonzero(relevant))
    if len(relevant) != matrix.shape[0] or not 0 < count < len(relevant):
        raise ValueError(
            f"expected labels of both classes for {matrix.shape[0]} rows, found {count} relevant"
        )
    # The weight of a term that no row has is 0: leave it out.
    used = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
    place_of = np.zeros(matrix.shape[1], dtype=np.int32)
    place_of[used] = np.arange(len(used))
    shape = matrix.shape[0], len(used)
    rows = csr_matrix((matrix.data, place_of[matrix.indices], matrix.indptr), shape=shape)
    terms = rows.T.tocsr()
    free = float(intercept)  # without an intercept its slope is 0, and it stays 0
    signs = np.where(relevant, 1.0, -1.0)
    weight = c * len(signs) / (2 * np.where(relevant, count, len(signs) - count))

    def loss(point: Vector) -> tuple[float, Vector]:
        margins = signs * (rows @ point[:-1] + point[-1])
        slopes = -weight * signs * chances_of(-margins)
        value = np.dot(point[:-1], point[:-1]) / 2 + np.dot(weight, np.logaddexp(0, -margins))
        return float(value), np.append(point[:-1] + terms @ slopes, free * slopes.sum())

    def curvature(point: Vector, direction: Vector) -> Vector:
        chances = chances_of(rows @ point[:-1] + point[-1])
        bends = weight * chances * (1 - chances) * (rows @ direction[:-1] + direction[-1])
        return np.append(direction[:-1] + terms @ bends, free * bends.sum())

    first = np.zeros(len(used) + 1) if start is None else np.append(start.weights[used], start.intercept)
    first[-1] *= free
    options = {"gtol": TOLERANCE, "maxiter": ITERATIONS}
    solution = minimize(loss, first, jac=True, hessp=curvature, method="trust-ncg", options=options).x
    weights = np.zeros(matrix.shape[1])
    weights[used] = solution[:-1]
    return LogisticModel(weights, float(solution[-1]))

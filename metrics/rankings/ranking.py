"""Ranks of systems by one measure: which values are better, and which are tied.

Every rank, "best" and "better" of the project comes from here. Scores that differ by no more than TIE of the
largest are tied: means of the same values that are added in another order differ by as much.
"""

from __future__ import annotations

import numpy as np

from metrics.measures.base import Direction
from pooling.arrays import Flags, IntVector, Matrix, Vector

TIE = 1e-10  # of the largest score


def upward(values: Matrix, direction: Direction) -> Matrix:
    """Return the values so that higher is better: negated if lower is better, else unchanged."""
    return 0.0 - values if direction == "lower" else values


def tie_width(scores: Matrix) -> float:
    """Return the largest difference between tied scores."""
    return TIE * float(np.abs(scores).max(initial=0.0))


def ranks(scores: Matrix, direction: Direction = "higher") -> IntVector:
    """Return ranks from 1, best first; tied systems share the better rank.

    scores: shape (systems,), or (systems, topics) to rank the systems within each topic; ranks have the same
    shape. Where `direction` is "neither", the highest value comes first, which callers must not call best.

    >>> ranks(np.array([0.2, 0.1 + 0.2, 0.3])).tolist()
    [3, 1, 1]
    >>> ranks(np.array([0.2, 0.4, 0.3]), "lower").tolist()
    [1, 3, 2]
    """
    order, first_of_group = _groups(0.0 - upward(scores, direction))
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, first_of_group + 1, axis=0)
    return ranks


def is_best(scores: Matrix, direction: Direction) -> Flags:
    """Return which systems have the best score; none if no value is better than another."""
    if direction == "neither":
        return np.zeros(scores.shape, dtype=bool)
    best: Flags = ranks(scores, direction) == 1
    return best


def levelled(scores: Vector) -> Vector:
    """Return the scores with tied scores made equal."""
    order, first_of_group = _groups(scores)
    level = np.empty(len(scores))
    level[order] = scores[order][first_of_group]
    return level


def tie_places(scores: Vector) -> tuple[IntVector, IntVector]:
    """Return the number of systems above each system's tie group, and the size of the group; (systems,)."""
    above = ranks(scores) - 1
    return above, np.bincount(above, minlength=len(above))[above]


def _groups(scores: Matrix) -> tuple[IntVector, IntVector]:
    """Return the ascending order of scores, and for each place in it the first place of its tie group."""
    order: IntVector = np.argsort(scores, axis=0, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=0)
    width = TIE * np.abs(scores).max(axis=0, initial=0.0)
    begins = np.concatenate([np.ones_like(ordered[:1], dtype=bool), np.diff(ordered, axis=0) > width])
    position = np.arange(len(scores)).reshape(-1, *[1] * (scores.ndim - 1))
    first: IntVector = np.maximum.accumulate(np.where(begins, position, 0), axis=0)
    return order, first

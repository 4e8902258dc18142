"""Grades from the values of a click model: thresholds, and thresholds that follow people's grades."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pooling.arrays import IntVector, Vector


def grade_places(values: Vector, thresholds: Sequence[float]) -> IntVector:
    """Return the place on the scale, from 0, of every value: how many thresholds it reaches.

    >>> grade_places(np.array([0.5, 1.0, 3.0]), [1.0, 2.0]).tolist()
    [0, 1, 2]
    """
    return np.searchsorted(np.asarray(thresholds, dtype=float), values, side="right")


def thresholds_by_shares(values: Vector, places: IntVector, grades: int) -> list[float]:
    """Return grades - 1 thresholds that give these values the same shares of grades as `places` has.

    values, places: of the same documents, the value and the place of people's grade on the scale. Equal
    values get equal grades, the higher one, so that with ties the shares are near, not equal. A grade that
    no document has, with no higher one, gets the threshold inf.

    >>> thresholds_by_shares(np.array([0.1, 0.4, 0.3, 0.9]), np.array([0, 1, 0, 0]), 2)
    [0.9]
    """
    ordered = np.append(np.sort(values), np.inf)
    below = np.cumsum(np.bincount(places, minlength=grades))[:-1]
    return [float(value) for value in ordered[below]]

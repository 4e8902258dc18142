"""How much of an agreement two different grades still are, and how far apart they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assess.kappa.coefficient import Floats

Weights = Callable[
    [int], Floats
]  # grades of the scale -> weights of shape (grades, grades), 1 on the diagonal
Values = Sequence[int]  # the grades of a scale, as numbers, in order
Differences = Callable[[Floats, Values], Floats]


def nominal(grades: int) -> Floats:
    """Grades as names: 1 for the same grade, else 0."""
    return np.eye(grades)


def linear(grades: int) -> Floats:
    """1 for the same grade, falling in equal steps to 0 for the two ends of the scale (Cicchetti & Allison).

    Steps are places on the scale, not the grades' numbers: 0, 1, 4 weighs as 0, 1, 2 does.

    >>> linear(3).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    return 1 - _apart(grades) / (grades - 1)


def quadratic(grades: int) -> Floats:
    """1 less the squared share of the scale that lies between two grades (Fleiss & Cohen 1973).

    >>> quadratic(3).tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.75], [0.0, 0.75, 1.0]]
    """
    return 1 - (_apart(grades) / (grades - 1)) ** 2


def _apart(grades: int) -> Floats:
    places = np.arange(grades, dtype=float)
    return np.abs(places[:, None] - places)


# Krippendorff's squared differences. They take how often each grade was given, shape (..., grades), which
# only the ordinal one looks at, and return the shape (..., grades, grades) or one that broadcasts to it.


def nominal_difference(given: Floats, values: Values) -> Floats:
    """1 for two different grades."""
    return 1 - np.eye(len(values))


def ordinal_difference(given: Floats, values: Values) -> Floats:
    """Squared number of labels that lie between two grades, half of those on either counted in.

    So it depends on the labels themselves, not only on the scale.
    """
    middle = np.cumsum(given, axis=-1) - given / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def interval_difference(given: Floats, values: Values) -> Floats:
    """Squared difference of the grades' numbers."""
    numbers = np.array(values, dtype=float)
    return np.asarray((numbers[:, None] - numbers) ** 2)


def ratio_difference(given: Floats, values: Values) -> Floats:
    """Squared difference of two grades' numbers over their sum; 0 for 0 and 0."""
    numbers = np.array(values, dtype=float)
    sums = numbers[:, None] + numbers
    return np.asarray(((numbers[:, None] - numbers) / np.where(sums == 0, 1, sums)) ** 2)

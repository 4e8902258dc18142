"""The result of a coefficient of agreement: a value, or the reason why it is undefined."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pooling.notebook import fields_html

Floats = npt.NDArray[np.float64]

MIN_DOCUMENTS = 2  # documents with two labels that a coefficient needs
ROUNDING_ERROR = 1e-12  # rounding error of 1 - expected agreement where that is 0

# Releases store these reasons, and the integrity check compares them: a new wording would be a difference.
NO_LABELS = "there are no labels"
ONE_JUDGE = "only one judge gave labels"
NO_OVERLAP = "no document has labels of two judges"
TOO_FEW = f"fewer than {MIN_DOCUMENTS} documents have labels of two judges"
ONE_CATEGORY = "every label is the same: chance alone could not disagree"
ONE_CATEGORY_EACH = "in every pair of judges all labels are the same: chance alone could not disagree"
NO_RELEVANT = "no topic has a document that a judge found relevant"
BELOW_ZERO = "a ratio scale has no grades below 0"
NO_BOOTSTRAP = "no bootstrap was asked for"


class Coefficient(NamedTuple):
    """One coefficient of agreement. Where it is undefined, `value` is None and `reason` says why.

    n: number of documents with labels of two or more judges. observed, expected: observed agreement and
    agreement expected by chance, where the coefficient has them as one number each; then value = (observed -
    expected) / (1 - expected). standard_error: analytic, for independent documents; the registry names its
    source. interval: by bootstrap over topics; where it is None, `no_interval` says why. judges: number of
    judges with labels.
    """

    name: str
    value: float | None
    reason: str = ""
    n: int = 0
    observed: float | None = None
    expected: float | None = None
    standard_error: float | None = None
    interval: tuple[float, float] | None = None
    judges: int = 0
    no_interval: str = NO_BOOTSTRAP

    def _repr_html_(self) -> str:
        return fields_html(self)

    def normal_interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Return value +- z standard errors, clipped to [-1, 1]; None where either is missing.

        >>> [round(end, 4) for end in Coefficient("kappa", 0.9, standard_error=0.1).normal_interval()]
        [0.704, 1.0]
        """
        if self.value is None or self.standard_error is None:
            return None
        reach = NormalDist().inv_cdf((1 + level) / 2) * self.standard_error
        low, high = (min(max(end, -1.0), 1.0) for end in (self.value - reach, self.value + reach))
        return low, high


class CoefficientValues(NamedTuple):
    """The values of one coefficient over any leading axes (pairs, draws, topics): nan where undefined.

    Internal to this package; its callers get a Coefficient.
    """

    value: Floats
    observed: Floats
    expected: Floats

    def of(self, place: int) -> CoefficientValues:
        """Return the estimate at one place of the first axis."""
        return CoefficientValues(self.value[place], self.observed[place], self.expected[place])


def beyond_chance(observed: Floats, expected: Floats) -> CoefficientValues:
    """Return (observed - expected) / (1 - expected), nan where expected agreement is 1."""
    observed, expected = np.broadcast_arrays(observed, expected)
    return CoefficientValues(ratio(observed - expected, 1 - expected), observed, expected)


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Floats:
    """Return part / whole, nan where the whole is 0 up to rounding."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    quotient = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=np.abs(whole) > ROUNDING_ERROR)
    return quotient


def finite_or_none(value: npt.ArrayLike) -> float | None:
    """Return a number as a float, None for nan."""
    number = float(np.asarray(value))
    return number if np.isfinite(number) else None


def to_coefficient(
    name: str, estimate: CoefficientValues, error: npt.ArrayLike, undefined: str, size: tuple[int, int]
) -> Coefficient:
    """Return one estimate as a Coefficient.

    undefined: the reason if it is nan. size: number of documents, number of judges.
    """
    value, (n, judges) = finite_or_none(estimate.value), size
    observed, expected = finite_or_none(estimate.observed), finite_or_none(estimate.expected)
    if value is None:
        return Coefficient(name, None, undefined, n, observed, expected, judges=judges)
    return Coefficient(name, value, "", n, observed, expected, finite_or_none(error), judges=judges)

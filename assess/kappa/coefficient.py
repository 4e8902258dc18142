"""What a coefficient of agreement comes to: a value, or the reason why there is none."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEAST = 2  # documents with two labels, below which no coefficient is given
TINY = 1e-12  # what is left of 1 by rounding when chance alone could not disagree

NO_LABELS = "there are no labels"
ONE_JUDGE = "only one judge gave labels"
NO_OVERLAP = "no document has labels of two judges"
TOO_FEW = f"fewer than {LEAST} documents have labels of two judges"
ONE_CATEGORY = "every label is the same: chance alone could not disagree"
ONE_CATEGORY_EACH = "in every pair of judges all labels are the same: chance alone could not disagree"
NO_RELEVANT = "no topic has a document that a judge found relevant"
BELOW_ZERO = "a ratio scale has no grades below 0"
NOT_ASKED = "no bootstrap was asked for"


class Coefficient(NamedTuple):
    """One coefficient of agreement. `value` is None where it is undefined, and `reason` then says why.

    n: the documents with labels of two or more judges. observed, expected: the agreement seen, and the
    agreement that chance alone would give, where the coefficient has them as one number each; then
    value = (observed - expected) / (1 - expected). standard_error: analytic, documents taken as independent;
    the registry names its source. interval: by bootstrap over topics; where it is None, `no_interval` says
    why. judges: how many gave labels.
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
    no_interval: str = NOT_ASKED

    def normal_interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Return value +- z standard errors, cut off at -1 and 1; None where either is missing.

        >>> [round(end, 4) for end in Coefficient("kappa", 0.9, standard_error=0.1).normal_interval()]
        [0.704, 1.0]
        """
        if self.value is None or self.standard_error is None:
            return None
        reach = NormalDist().inv_cdf((1 + level) / 2) * self.standard_error
        low, high = (min(max(end, -1.0), 1.0) for end in (self.value - reach, self.value + reach))
        return low, high


class Estimate(NamedTuple):
    """The values of one coefficient over any leading axes (pairs, draws, topics): nan where undefined.

    Stays inside this package: what leaves it is a Coefficient.
    """

    value: Floats
    observed: Floats
    expected: Floats

    def of(self, place: int) -> Estimate:
        """Return the estimate at one place of the first axis."""
        return Estimate(self.value[place], self.observed[place], self.expected[place])


def beyond_chance(observed: Floats, expected: Floats) -> Estimate:
    """Return (observed - expected) / (1 - expected), undefined where chance alone could not disagree."""
    observed, expected = np.broadcast_arrays(observed, expected)
    return Estimate(ratio(observed - expected, 1 - expected), observed, expected)


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Floats:
    """Return part / whole, nan where the whole is 0 (or what rounding leaves of 0)."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    quotient = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=np.abs(whole) > TINY)
    return quotient


def figure(value: npt.ArrayLike) -> float | None:
    """Return one number as a float, None for nan."""
    number = float(np.asarray(value))
    return number if np.isfinite(number) else None


def boxed(
    name: str, estimate: Estimate, error: npt.ArrayLike, undefined: str, size: tuple[int, int]
) -> Coefficient:
    """Return one estimate as a value or a reason. undefined: the reason. size: documents and judges."""
    value, (n, judges) = figure(estimate.value), size
    observed, expected = figure(estimate.observed), figure(estimate.expected)
    if value is None:
        return Coefficient(name, None, undefined, n, observed, expected, judges=judges)
    return Coefficient(name, value, "", n, observed, expected, figure(error), judges=judges)

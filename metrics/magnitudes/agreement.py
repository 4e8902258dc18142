"""Agreement of two judges on magnitudes, which are real numbers above 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pooling.arrays import Vector

FEWEST = 3  # documents of two judges
ROWS_AT_ONCE = 500


class MagnitudeAgreement(NamedTuple):
    """documents: with numbers of two judges. The figures are None for fewer than FEWEST, or without spread.

    correlation: Pearson's r of the logarithms. ratio: Krippendorff's alpha of the magnitudes on a ratio
    scale. interval: of their logarithms on an interval scale.
    """

    documents: int
    correlation: float | None = None
    ratio: float | None = None
    interval: float | None = None


def magnitude_agreement(first: Vector, second: Vector) -> MagnitudeAgreement:
    """Return the agreement of two judges. first, second: magnitudes of the same documents, all above 0.

    Both are relative: divided by the geometric mean of the judge on the topic, so that neither a factor of
    a judge nor a difference between topics counts as agreement or disagreement.
    """
    count = len(first)
    if count < FEWEST:
        return MagnitudeAgreement(count)
    one, other = np.log(first), np.log(second)
    is_flat = np.isclose(np.ptp(one), 0) or np.isclose(np.ptp(other), 0)
    correlation = None if is_flat else float(np.corrcoef(one, other)[0, 1])
    return MagnitudeAgreement(count, correlation, ratio_alpha(first, second), interval_alpha(one, other))


def interval_alpha(first: Vector, second: Vector) -> float | None:
    """Krippendorff's alpha of two judges with real values on an interval scale; None without spread.

    As `assess.kappa.many_judges.alpha_of_many`, which is for a few grades. Krippendorff, Content Analysis
    (2004), chapter 11.
    """
    values = np.concatenate([first, second])
    spread = 2 * len(values) * float(np.sum((values - values.mean()) ** 2))
    return _alpha(float(np.mean((first - second) ** 2)), spread, len(values))


def ratio_alpha(first: Vector, second: Vector) -> float | None:
    """Krippendorff's alpha of two judges with values above 0 on a ratio scale; None without spread.

    The difference of two values is ((a - b) / (a + b))^2.
    """
    values = np.concatenate([first, second])
    spread = 0.0
    for start in range(0, len(values), ROWS_AT_ONCE):
        some = values[start : start + ROWS_AT_ONCE, None]
        spread += float(np.sum(((some - values) / (some + values)) ** 2))
    return _alpha(float(np.mean(((first - second) / (first + second)) ** 2)), spread, len(values))


def _alpha(observed: float, spread: float, values: int) -> float | None:
    """spread: the sum of the differences of all ordered pairs of values."""
    expected = spread / (values * (values - 1))
    return None if np.isclose(expected, 0) else 1 - observed / expected

"""Which difference an A/B test can find, and how many users it needs, before it and after it."""

from __future__ import annotations

from math import ceil, sqrt

from pooling.extras import import_extra
from pooling.refusals import Refused

ALPHA, POWER = 0.05, 0.8


def z_sum(alpha: float, power: float) -> float:
    """Return the quantiles of a two-sided test and of its power, added.

    >>> round(z_sum(0.05, 0.8), 3)
    2.802
    """
    ndtri = import_extra("scipy.special").ndtri
    if not (0 < alpha < 1 and 0 < power < 1):
        raise Refused("expected alpha and power between 0 and 1")
    return float(ndtri(1 - alpha / 2) + ndtri(power))


def detectable(
    users: tuple[int, int], deviations: tuple[float, float], alpha: float = ALPHA, power: float = POWER
) -> float:
    """Return the minimum detectable effect: the difference that a test finds with the probability `power`.

    users, deviations: of both variants, standard deviations over users. A normal approximation, two-sided.
    Raises Refused for fewer than one user.

    >>> round(detectable((5000, 5000), (2.0, 2.0)), 4)
    0.1121
    """
    if min(users) < 1 or min(deviations) < 0:
        raise Refused("expected at least one user of each variant, and standard deviations from 0")
    error = sqrt(sum(each**2 / n for n, each in zip(users, deviations, strict=True)))
    return z_sum(alpha, power) * error


def users_needed(
    difference: float, deviation: float, share: float = 0.5, alpha: float = ALPHA, power: float = POWER
) -> int:
    """Return how many users both variants need together to find a difference.

    share: of the users who see the treatment. Raises Refused for a difference of 0.

    >>> users_needed(0.1121, 2.0)
    9994
    """
    if not difference or not 0 < share < 1:
        raise Refused("expected a difference other than 0, and a share between 0 and 1")
    variance = deviation**2 * (1 / share + 1 / (1 - share))
    return ceil((z_sum(alpha, power) / difference) ** 2 * variance)

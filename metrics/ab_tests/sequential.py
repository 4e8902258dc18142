"""A test that may be looked at after every user: p values and intervals that are valid at all times at once.

The mixture sequential probability ratio test with a normal mixture (Robbins 1970; Johari, Pekelis & Walsh
2022, Always Valid Inference, Operations Research 70(3)), with estimated variances as in the asymptotic
confidence sequences of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024 (Annals of Statistics 52(6)). The
same boundary is in Howard, Ramdas, McAuliffe & Sekhon 2021, Time-uniform, nonparametric, nonasymptotic
confidence sequences (Annals of Statistics 49(2)).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from typing import NamedTuple

from pooling.extras import import_extra

ALPHA = 0.05
FEWEST = 100  # users of each variant from which on the variances are taken as known


class AlwaysValid(NamedTuple):
    """A p value and an interval, valid whenever and however often one looks. None with too few users."""

    p: float | None
    low: float | None
    high: float | None


def mixture_ratio(alpha: float = ALPHA) -> float:
    """Return the variance of the mixture over that of the estimate at the planned end, for which the interval
    is the shortest there: -W(-alpha^2 / e) - 1, of the lower branch of Lambert's function.

    >>> round(mixture_ratio(0.05), 2)
    8.21
    """
    lambertw = import_extra("scipy.special").lambertw
    return float(-lambertw(-(alpha**2) / exp(1), -1).real - 1)


def always_valid(
    difference: float | None, error: float | None, users: Sequence[int], planned: int, alpha: float = ALPHA
) -> AlwaysValid:
    """Return the test of a difference at any time.

    error: its standard error now. users: of each variant, now. planned: users of them at the end, fixed
    before the start: it decides where the interval is the shortest, not whether it is valid. The variance of
    the mixture is `mixture_ratio` x that of the estimate at the planned end.

    Johari et al.: with V the variance of the estimate d and T that of the mixture, the likelihood ratio is
    sqrt(V / (V + T)) exp(d^2 T / (2 V (V + T))), p is 1 over it, and the interval is
    d +- sqrt((V (V + T) / T) (2 log(1 / alpha) + log((V + T) / V))).

    >>> always_valid(0.5, 0.1, (500, 500), 1000).p < 0.001, always_valid(0.5, 0.1, (50, 50), 1000).p
    (True, None)
    """
    if difference is None or not error or min(users) < FEWEST:
        return AlwaysValid(None, None, None)
    ratio = mixture_ratio(alpha) * sum(users) / planned  # T / V
    z = difference / error
    log_p = log(1 + ratio) / 2 - z * z * ratio / (2 * (1 + ratio))
    half = error * sqrt((1 + ratio) / ratio * (2 * log(1 / alpha) + log(1 + ratio)))
    return AlwaysValid(exp(min(log_p, 0.0)), difference - half, difference + half)

"""What a stability meant in other collections: rank correlations, power, conflicts and errors.

Urbano, Marrero & Martín (SIGIR 2013, figure 3) split the topics of 43 TREC collections, and fitted a power of
the stability to each indicator that they saw. The exponents are those of their R package gt4ireval 2.0.
"""

from __future__ import annotations

from typing import NamedTuple

AGREEING = {"tau": 2.84729794002905, "tau_ap": 3.98652984123827, "power": 4.77902509574171}
DIFFERING = {"minor": 1.53337366741287, "major": 2.62976839002005, "sensitivity": 1.54402996734738}
OF_SCORES = {"relative_sensitivity": 1.29759126030214, "rmse": 3.27642726002903}


class Indicators(NamedTuple):
    """The indicators of a stability; None where the stability is undefined, 0 or 1.

    tau, tau_ap: correlation of the order of systems with that over other topics. power: share of pairs of
    systems whose difference is significant by a t-test. minor, major: share of these pairs whose other topics
    have another sign, without and with significance. sensitivity, relative_sensitivity: the smallest
    difference of scores that is safe, as a score and as a share. rmse: error of the scores.
    """

    tau: float | None
    tau_ap: float | None
    power: float | None
    minor: float | None
    major: float | None
    sensitivity: float | None
    relative_sensitivity: float | None
    rmse: float | None


def indicators(relative: float | None, absolute: float | None) -> Indicators:
    """Return the indicators that a relative and an absolute stability had in TREC collections.

    >>> found = indicators(0.95, 0.8)
    >>> round(found.tau, 5), round(found.relative_sensitivity, 5)
    (0.86412, 0.12389)
    """
    order, scores = _defined(relative), _defined(absolute)
    values = {name: None if order is None else order**power for name, power in AGREEING.items()}
    values |= {name: None if order is None else (1 - order) ** power for name, power in DIFFERING.items()}
    values |= {name: None if scores is None else (1 - scores) ** power for name, power in OF_SCORES.items()}
    return Indicators(**values)


def _defined(stability: float | None) -> float | None:
    return stability if stability is not None and 0 < stability < 1 else None

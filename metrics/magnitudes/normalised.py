"""Magnitude estimation: judges give documents positive numbers of their own choice, in proportion to
relevance."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, fsum, isfinite, log

from pooling.refusals import Refused

Magnitudes = Mapping[str, Mapping[str, float]]
"""judge -> docno -> magnitude, of one topic."""


def normalised(magnitudes: Magnitudes) -> dict[str, dict[str, float]]:
    """Return the magnitudes of a topic, with the same geometric mean for each judge: that of all of them.

    Ratios between the magnitudes of a judge stay as they are. Raises Refused for a number that is not above
    0.

    >>> scores = normalised({"1": {"a": 10, "b": 40}, "2": {"a": 50, "b": 400}})
    >>> [[f"{value:.4f}" for value in own.values()] for own in scores.values()]
    [['26.5915', '106.3659'], ['18.8030', '150.4241']]
    """
    logs = {
        judge: {docno: log(_checked(value)) for docno, value in own.items()}
        for judge, own in magnitudes.items()
    }
    every = [value for own in logs.values() for value in own.values()]
    mean = fsum(every) / max(len(every), 1)
    shifts = {judge: mean - fsum(own.values()) / max(len(own), 1) for judge, own in logs.items()}
    return {
        judge: {docno: exp(value + shifts[judge]) for docno, value in own.items()}
        for judge, own in logs.items()
    }


def _checked(value: float) -> float:
    if not isfinite(value) or value <= 0:
        raise Refused(f"expected magnitudes above 0, found {value}")
    return value

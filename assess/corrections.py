"""Corrections of p values for the number of comparisons made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pooling.arrays import Vector
from pooling.extras import import_extra


@dataclass(frozen=True)
class Corrected:
    """Corrected p values, in the order given. comparisons: for how many they were corrected.

    name: of the correction. controls: the error rate it limits. An undefined p (None) stays so and does not
    count as a comparison.
    """

    name: str
    controls: str
    comparisons: int
    p: tuple[float | None, ...]


FAMILY_WISE = "the chance of any false alarm"
DISCOVERY = "the expected share of false alarms among alarms"
P = Sequence[float | None]


def bonferroni(p: P) -> Corrected:
    """Return every p times the number of comparisons, at most 1 (Bonferroni 1936; Dunn 1961)."""
    return _corrected("Bonferroni", FAMILY_WISE, p, lambda values: values * len(values))


def holm(p: P) -> Corrected:
    """Return step-down values: never larger than Bonferroni's, with the same promise (Holm 1979)."""

    def step_down(values: Vector) -> Vector:
        order = np.argsort(values)
        adjusted = np.empty(len(values))
        adjusted[order] = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
        return adjusted

    return _corrected("Holm", FAMILY_WISE, p, step_down)


def benjamini_hochberg(p: P) -> Corrected:
    """Return values for the false discovery rate (Benjamini & Hochberg 1995)."""
    stats = import_extra("scipy.stats")
    return _corrected("Benjamini-Hochberg", DISCOVERY, p, stats.false_discovery_control)


def uncorrected(p: P) -> Corrected:
    """Return the values as they are, with the number of comparisons."""
    return _corrected("uncorrected", "nothing but each comparison alone", p, lambda values: values)


def _corrected(name: str, controls: str, p: P, correct: Callable[[Vector], Vector]) -> Corrected:
    values = np.array([each for each in p if each is not None], dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("expected p values from 0 to 1")
    corrected = iter(np.minimum(correct(values), 1.0).tolist() if len(values) else [])
    return Corrected(
        name, controls, len(values), tuple(None if each is None else next(corrected) for each in p)
    )


CORRECTIONS: Mapping[str, Callable[[P], Corrected]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": uncorrected,
}

"""Generalisability of scores: how far other topics would order the same systems alike.

A G study splits the variance of scores, one for each pair of system and topic, into that of systems, that
of topics, and a residual (their interaction and chance). A D study says from it how stable means over a
number of topics are. Sources: Brennan 2001, chapter 6; Urbano, Marrero & Martín 2013, whose R package is
gt4ireval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from metrics.measures.base import Direction
from metrics.rankings.ranking import upward
from metrics.significance.paired import LEVEL, ROUNDING, checked_level
from metrics.significance.tukey import NO_RESIDUAL, two_way_anova
from pooling.arrays import Flags, Matrix
from pooling.extras import import_extra

STABILITY = 0.95
ALL_EQUAL = "all scores are equal"
EFFECTS = ("systems", "topics", "residual")


class Components(NamedTuple):
    """A figure of systems, of topics, and of the residual: their interaction and chance."""

    systems: float
    topics: float
    residual: float


class StabilityEstimate(NamedTuple):
    """A stability from 0 to 1, and its interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Stability(NamedTuple):
    """The stability of means over a number of topics.

    relative: E rho squared, the generalizability coefficient: of the order of systems and their differences.
    absolute: Phi, the index of dependability: of the scores themselves.
    """

    topics: int
    relative: StabilityEstimate
    absolute: StabilityEstimate


class Count(NamedTuple):
    """A number of topics, and its interval; None where no number is enough, or it is undefined."""

    value: int | None
    low: int | None = None
    high: int | None = None


class TopicsNeeded(NamedTuple):
    """How many topics a stability needs, as a relative and as an absolute one."""

    stability: float
    relative: Count
    absolute: Count


@dataclass(frozen=True)
class GStudy:
    """The variance of the scores of systems on topics, by what it is due to.

    systems, topics: their numbers. mean_squares: of the analysis of variance; variances: the components that
    follow from them, negative ones set to 0, whose names are in `negative`. Both are None for fewer than two
    systems or topics; `reason` then says why, and is "" otherwise.
    """

    systems: int
    topics: int
    mean_squares: Components | None = None
    variances: Components | None = None
    negative: tuple[str, ...] = ()
    reason: str = ""

    @property
    def shares(self) -> Components | None:
        """Each component as a share of their sum; None without variance."""
        if not self.variances or not (total := sum(self.variances)):
            return None
        return Components(*(value / total for value in self.variances))

    @cached_property
    def ratios(self) -> tuple[float | None, float | None]:
        """The variance of systems over what makes a single topic err: for an order, and for scores."""
        if not self.variances or not any(self.variances):
            return None, None
        systems, topics, residual = self.variances
        return _ratio(systems, residual), _ratio(systems, topics + residual)

    def interval_of_ratios(self, level: float) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Return the low and high end of both ratios, not below 0; None without a residual.

        Of the first by Feldt 1965, of the second by Arteaga, Jeyaratnam & Franklin 1982, as in gt4ireval.
        Both take the effects as normally distributed.
        """
        squares = self.mean_squares
        if not squares or not squares.residual or not squares.systems:
            return None
        stats = import_extra("scipy.stats")
        of_systems, of_topics = self.systems - 1, self.topics - 1
        of_residual = of_systems * of_topics
        ends: list[tuple[float, float]] = []
        for chance in ((1 + level) / 2, (1 - level) / 2):
            limit = float(stats.f.ppf(chance, of_systems, of_residual))
            relative = (squares.systems / (squares.residual * limit) - 1) / self.topics
            endless = float(stats.chi2.ppf(chance, of_systems)) / of_systems
            part = squares.systems**2 - endless * squares.systems * squares.residual
            part += (endless - limit) * limit * squares.residual**2
            whole = of_systems * endless * squares.systems * squares.residual
            whole += float(stats.f.ppf(chance, of_systems, of_topics)) * squares.systems * squares.topics
            ends.append((max(relative, 0.0), max(self.systems * part / whole / self.topics, 0.0)))
        (low, low_absolute), (high, high_absolute) = ends
        return (low, high), (low_absolute, high_absolute)

    def stability(self, topics: int, level: float = LEVEL) -> Stability:
        """Return the stability of means over `topics` topics.

        Undefined where all scores are equal. Raises ValueError for fewer topics than one.
        """
        if topics < 1:
            raise ValueError(f"expected at least one topic, found {topics}")
        intervals = self.interval_of_ratios(checked_level(level)) or ((None, None), (None, None))
        relative, absolute = (
            StabilityEstimate(_stability(ratio, topics), *(_stability(end, topics) for end in ends))
            for ratio, ends in zip(self.ratios, intervals, strict=True)
        )
        return Stability(topics, relative, absolute)

    def topics_needed(self, stability: float = STABILITY, level: float = LEVEL) -> TopicsNeeded:
        """Return how many topics a stability needs.

        The high end of a number is None where the interval of the stability reaches down to 0 for any number.
        Raises ValueError unless 0 < stability < 1.
        """
        checked_stability(stability)
        intervals = self.interval_of_ratios(checked_level(level)) or ((None, None), (None, None))
        relative, absolute = (
            Count(_topics(ratio, stability), _topics(ends[1], stability), _topics(ends[0], stability))
            for ratio, ends in zip(self.ratios, intervals, strict=True)
        )
        return TopicsNeeded(stability, relative, absolute)


def checked_stability(stability: float) -> float:
    """Return the stability. Raises ValueError unless it is between 0 and 1."""
    if not 0 < stability < 1:
        raise ValueError(f"expected a stability between 0 and 1, found {stability}")
    return stability


def g_study(values: Matrix) -> GStudy:
    """Return the variance components of scores, by the mean squares of a two-way analysis of variance.

    values: shape (topics, systems), one score for each pair. Raises ValueError for scores that are not
    finite.

    >>> study = g_study(np.array([[0.5, 0.7, 0.3], [0.1, 0.4, 0.2], [0.3, 0.6, 0.4]]))
    >>> round(study.variances.systems, 4)
    0.0211
    """
    anova = two_way_anova(values)
    if anova.reason and anova.reason != NO_RESIDUAL:
        return GStudy(anova.systems, anova.n, reason=anova.reason)
    squares = Components(
        anova.of_systems / (anova.systems - 1),
        anova.of_topics / (anova.n - 1),
        anova.of_residual / anova.freedom,
    )
    return g_study_of(anova.systems, anova.n, squares)


def g_study_of(systems: int, topics: int, mean_squares: Components) -> GStudy:
    """Return the variance components of published mean squares. systems, topics: two or more of each."""
    squares = mean_squares
    components = Components(
        (squares.systems - squares.residual) / topics,
        (squares.topics - squares.residual) / systems,
        squares.residual,
    )
    smallest = ROUNDING * max(squares)
    negative = tuple(name for name, value in zip(EFFECTS, components, strict=True) if value < -smallest)
    variances = Components(
        *(value if value > smallest / max(systems, topics) else 0.0 for value in components)
    )
    return GStudy(systems, topics, squares, variances, negative, "" if any(variances) else ALL_EQUAL)


def among_best(values: Matrix, left_out: float, direction: Direction = "higher") -> Flags:
    """Tell which systems remain if a share of them with the worst means is left out, shape (systems,).

    values: shape (topics, systems). left_out: from 0 to below 1; systems at that quantile of the means
    remain. Of a measure without a direction those with low values are left out. Raises ValueError for another
    share.
    """
    if not 0 <= left_out < 1:
        raise ValueError(f"expected a share from 0 to below 1, found {left_out}")
    means = upward(values.mean(axis=0), direction)
    limit = float(np.quantile(means, left_out))
    remains: Flags = means >= limit - ROUNDING * np.abs(means).max(initial=0)
    return remains


def d_study(study: GStudy, topics: Iterable[int], level: float = LEVEL) -> list[Stability]:
    """Return the stability of means over each of several numbers of topics."""
    return [study.stability(number, level) for number in topics]


def _ratio(part: float, error: float) -> float:
    return part / error if error else inf if part else 0.0


def _stability(ratio: float | None, topics: int) -> float | None:
    if ratio is None or ratio == inf:
        return None if ratio is None else 1.0
    return topics * ratio / (1 + topics * ratio)


def _topics(ratio: float | None, stability: float) -> int | None:
    if not ratio:
        return None
    wanted = stability / (ratio * (1 - stability))
    return max(1, ceil(wanted * (1 - ROUNDING)))

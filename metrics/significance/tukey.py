"""Tests of every pair of systems: Tukey's HSD after a two-way analysis of variance, randomised Tukey HSD."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metrics.significance.all_pairs import ALPHA, AllPairs, absolute_differences, new_all_pairs
from metrics.significance.paired import ROUNDING, blocks_of
from metrics.significance.studentized_range import studentized_range_isf, studentized_range_sf
from pooling.arrays import Matrix, Vector
from pooling.extras import import_extra

TUKEY = "Tukey HSD, two-way analysis of variance without replication"
NO_RESIDUAL = "nothing is left to chance: systems and topics explain every score"


@dataclass(frozen=True)
class Anova:
    """A two-way analysis of variance without replication.

    n: topics. systems: how many. of_systems, of_topics, of_residual: sums of squares. variance: residual sum
    over (systems - 1)(n - 1). f_systems, p_systems, f_topics, p_topics: None where undefined; `reason` then
    says why, and is "" otherwise.
    """

    n: int
    systems: int
    of_systems: float = 0.0
    of_topics: float = 0.0
    of_residual: float = 0.0
    variance: float | None = None
    f_systems: float | None = None
    p_systems: float | None = None
    f_topics: float | None = None
    p_topics: float | None = None
    reason: str = ""

    @property
    def freedom(self) -> int:
        """The residual's degrees of freedom."""
        return (self.systems - 1) * (self.n - 1)


def two_way_anova(values: Matrix) -> Anova:
    """Return the analysis of variance of scores of shape (topics, systems): one score for each pair.

    Undefined for fewer than two topics or systems, and where no residual variance is left. Fisher 1925.
    """
    fdtrc = import_extra("scipy.special").fdtrc
    test = new_all_pairs(TUKEY, values, ALPHA)
    n, systems = values.shape
    if test.reason:
        return Anova(n, systems, reason=test.reason)
    centred = values - values.mean()
    by_system, by_topic = centred.mean(axis=0), centred.mean(axis=1)
    residual = centred - by_system - by_topic[:, None]
    of_systems, of_topics = n * float(by_system @ by_system), systems * float(by_topic @ by_topic)
    anova = Anova(n, systems, of_systems, of_topics, float((residual**2).sum()))
    if np.abs(residual).max() <= ROUNDING * np.abs(values).max():
        return replace(anova, of_residual=0.0, variance=0.0, reason=NO_RESIDUAL)
    variance = anova.of_residual / anova.freedom
    f_systems, f_topics = of_systems / (systems - 1) / variance, of_topics / (n - 1) / variance
    return replace(
        anova,
        variance=variance,
        f_systems=f_systems,
        p_systems=float(fdtrc(systems - 1, anova.freedom, f_systems)),
        f_topics=f_topics,
        p_topics=float(fdtrc(n - 1, anova.freedom, f_topics)),
    )


def tukey_hsd(values: Matrix, alpha: float = ALPHA) -> AllPairs:
    """Tukey's honestly significant differences, with topics as blocks.

    values: scores of shape (topics, systems). The statistic of a pair is q, its difference over
    sqrt(residual variance / topics). (scipy's `tukey_hsd` takes systems as independent samples: it leaves the
    topics' variance in, and finds less.) Undefined where the analysis of variance is. Tukey 1949; Sakai 2018.
    """
    test = new_all_pairs(TUKEY, values, alpha)
    anova = two_way_anova(values)
    if anova.reason or anova.variance is None:
        return replace(test, comparisons=0, reason=anova.reason)
    n, systems = values.shape
    error = np.sqrt(anova.variance / n)
    rows, columns = np.triu_indices(systems, 1)
    q = absolute_differences(values) / error
    p = np.ones((systems, systems))
    p[rows, columns] = p[columns, rows] = studentized_range_sf(q[rows, columns], systems, anova.freedom)
    critical = float(studentized_range_isf(alpha, systems, anova.freedom) * error)
    signs = np.sign(test.means[:, None] - test.means[None, :])
    return replace(test, statistic=signs * q, p=p, critical=critical)


def anova_effect_sizes(values: Matrix) -> Matrix | None:
    """Return every pair's difference over the residual standard deviation, shape (systems, systems).

    The effect size beside Tukey's HSD (Sakai 2018): row less column. None where `two_way_anova` is undefined.
    """
    anova = two_way_anova(values)
    if anova.reason or anova.variance is None:
        return None
    means = values.mean(axis=0)
    effect_sizes: Matrix = (means[:, None] - means[None, :]) / np.sqrt(anova.variance)
    return effect_sizes


RANDOMISED_TUKEY = "randomised Tukey HSD"
DRAWS = 10_000


def randomised_tukey_hsd(values: Matrix, alpha: float = ALPHA, draws: int = DRAWS, seed: int = 0) -> AllPairs:
    """Randomised Tukey HSD (Carterette 2012), which assumes nothing about the scores' distribution.

    values: scores of shape (topics, systems). In each draw the systems' names are shuffled in every topic,
    and the best mean less the worst is kept. A pair's p is the share of draws, with what happened as one
    more, whose range is at least its difference: (1 + count) / (1 + draws). The statistic is the
    difference. For two systems this is the randomisation test. Undefined for fewer than two topics or
    systems.
    """
    test = new_all_pairs(RANDOMISED_TUKEY, values, alpha)
    if test.reason:
        return test
    drawn = ranges_of(values, draws, seed)
    differences = absolute_differences(values)
    width = ROUNDING * float(np.abs(values).max())
    p = (1 + draws - np.searchsorted(drawn, differences - width)) / (1 + draws)
    np.fill_diagonal(p, 1.0)
    position = int(alpha * (1 + draws) + 1e-9)
    critical = float(drawn[draws - position]) if 1 <= position <= draws else None
    signs = np.sign(test.means[:, None] - test.means[None, :])
    return replace(test, statistic=signs * differences, p=p, critical=critical, draws=draws, seed=seed)


def ranges_of(values: Matrix, draws: int, seed: int) -> Vector:
    """Return the best mean less the worst of each draw, ascending; shape (draws,)."""
    rng, ranges = np.random.default_rng(seed), []
    for size in blocks_of(draws, values.size):
        shuffled = np.repeat(values[None], size, axis=0)
        rng.permuted(shuffled, axis=2, out=shuffled)
        ranges.append(np.ptp(shuffled.mean(axis=1), axis=1))
    return np.sort(np.concatenate(ranges))

"""Two-way analysis of variance without replication (topics x systems), and Tukey's HSD on its residual."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metrics.significance.all_pairs import ALPHA, AllPairs, absolute_differences, begin_pairs
from metrics.significance.paired import ROUNDING
from metrics.significance.studentized_range import studentized_range_isf, studentized_range_sf
from pooling.arrays import Matrix

NAME = "Tukey HSD, two-way analysis of variance without replication"
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
    from scipy.special import fdtrc  # heavy, and for this page alone

    test = begin_pairs(NAME, values, ALPHA)
    n, systems = values.shape
    if test.reason:
        return Anova(n, systems, reason=test.reason)
    centred = values - values.mean()
    by_system, by_topic = centred.mean(axis=0), centred.mean(axis=1)
    residual = centred - by_system - by_topic[:, None]
    of_systems, of_topics = n * float(by_system @ by_system), systems * float(by_topic @ by_topic)
    found = Anova(n, systems, of_systems, of_topics, float((residual**2).sum()))
    if np.abs(residual).max() <= ROUNDING * np.abs(values).max():
        return replace(found, of_residual=0.0, variance=0.0, reason=NO_RESIDUAL)
    variance = found.of_residual / found.freedom
    f_systems, f_topics = of_systems / (systems - 1) / variance, of_topics / (n - 1) / variance
    return replace(
        found,
        variance=variance,
        f_systems=f_systems,
        p_systems=float(fdtrc(systems - 1, found.freedom, f_systems)),
        f_topics=f_topics,
        p_topics=float(fdtrc(n - 1, found.freedom, f_topics)),
    )


def tukey_hsd(values: Matrix, alpha: float = ALPHA) -> AllPairs:
    """Tukey's honestly significant differences, with topics as blocks.

    values: scores of shape (topics, systems). The statistic of a pair is q, its difference over
    sqrt(residual variance / topics). (scipy's `tukey_hsd` takes systems as independent samples: it leaves the
    topics' variance in, and finds less.) Undefined where the analysis of variance is. Tukey 1949; Sakai 2018.
    """
    test = begin_pairs(NAME, values, alpha)
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
    found: Matrix = (means[:, None] - means[None, :]) / np.sqrt(anova.variance)
    return found

"""Student's t-test for paired scores."""

from __future__ import annotations

from dataclasses import replace

from metrics.significance.paired import (
    ALL_EQUAL,
    LEVEL,
    Interval,
    PairedTest,
    begin,
    checked_level,
    paired_differences,
    undefined,
    without_variance,
)
from pooling.arrays import Matrix, Vector

NAME = "paired t-test"


def paired_t_test(first: Vector, second: Vector, level: float = LEVEL) -> PairedTest:
    """The paired t-test of two systems, two-sided: t = mean difference over its standard error.

    first, second: scores of shape (topics,), the same topics in the same order. The interval is t's too.
    Undefined for fewer than two topics and where the differences do not vary. Student 1908.
    """
    from scipy import stats  # takes a second to load: when a test is made, not at the start of every command

    checked_level(level)
    differences = paired_differences(first, second)
    test = begin(NAME, differences)
    if test.reason:
        return test
    if without_variance(differences):
        return undefined(test, ALL_EQUAL)
    found = stats.ttest_1samp(differences, 0.0)
    low, high = found.confidence_interval(level)
    interval = Interval(float(low), float(high), level)
    return replace(test, statistic=float(found.statistic), p=float(found.pvalue), interval=interval)


def t_and_p(differences: Matrix) -> tuple[list[float | None], list[float | None]]:
    """Return t and the two-sided p of the paired t-test, for many pairs of systems at once.

    differences: shape (topics, pairs), two topics or more. None for a pair whose differences do not vary.
    """
    from scipy import stats

    vary = [not without_variance(column) for column in differences.T]
    found = stats.ttest_1samp(differences[:, vary], 0.0, axis=0)
    t, p = iter(found.statistic.tolist()), iter(found.pvalue.tolist())
    return [next(t) if each else None for each in vary], [next(p) if each else None for each in vary]

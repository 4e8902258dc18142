"""Student's t-test for paired scores."""

from __future__ import annotations

from dataclasses import replace

from pooling.columns import Vector

from .paired import (
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

NAME = "paired t-test"


def paired_t_test(first: Vector, second: Vector, level: float = LEVEL) -> PairedTest:
    """The paired t-test of two systems, two-sided: t = mean difference over its standard error.

    first, second: scores of shape (topics,), the same topics in the same order. The interval is t's too.
    Undefined for fewer than two topics and where the differences do not vary. Student 1908.
    """
    from scipy.stats import ttest_rel  # heavy, and for this page alone

    checked_level(level)
    differences = paired_differences(first, second)
    test = begin(NAME, differences)
    if test.reason:
        return test
    if without_variance(differences):
        return undefined(test, ALL_EQUAL)
    found = ttest_rel(differences, 0 * differences)
    low, high = found.confidence_interval(level)
    interval = Interval(float(low), float(high), level)
    return replace(test, statistic=float(found.statistic), p=float(found.pvalue), interval=interval)

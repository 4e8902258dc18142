"""Student's t-test for paired scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

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
    from scipy.special import stdtr, stdtrit  # heavy, and for this page alone; `scipy.stats` is four times so

    checked_level(level)
    differences = paired_differences(first, second)
    test = begin(NAME, differences)
    if test.reason:
        return test
    if without_variance(differences):
        return undefined(test, ALL_EQUAL)
    freedom, mean = len(differences) - 1, differences.mean()
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    t, reach = mean / error, stdtrit(freedom, (1 + level) / 2) * error
    interval = Interval(float(mean - reach), float(mean + reach), level)
    return replace(test, statistic=float(t), p=float(2 * stdtr(freedom, -abs(t))), interval=interval)

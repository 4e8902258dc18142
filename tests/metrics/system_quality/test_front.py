"""The undominated runs: the definition written out for every pair of runs, and what holds for any runs."""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.system_quality.front import undominated
from pooling.refusals import Refused

Way = Literal["lower", "higher"]
WAYS = st.sampled_from(["lower", "higher"])
FEW_VALUES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 4.0])  # so that runs tie
SCORES = FEW_VALUES | st.floats(-9, 9).map(lambda value: round(value, 6))  # which are tied only if equal
POINTS = st.lists(st.tuples(SCORES, FEW_VALUES | st.floats(0, 9)), max_size=12)


def dominates(a: tuple[float, float], b: tuple[float, float], ways: tuple[Way, Way]) -> bool:
    """Whether a is at least as good as b on both and better on one."""
    better = [x > y if way == "higher" else x < y for x, y, way in zip(a, b, ways, strict=True)]
    equal = [x == y for x, y in zip(a, b, strict=True)]
    return all(map(max, better, equal)) and any(better)


@given(POINTS, WAYS, WAYS)
def test_the_front_is_the_runs_that_no_other_dominates(
    points: list[tuple[float, float]], way: Way, cost_way: Way
) -> None:
    flags = undominated([p[0] for p in points], [p[1] for p in points], way, cost_way)
    expected = [not any(dominates(other, p, (way, cost_way)) for other in points) for p in points]
    assert flags.tolist() == expected
    assert not points or flags.any()


@given(POINTS)
def test_neither_the_order_of_runs_nor_the_unit_of_the_cost_matters(
    points: list[tuple[float, float]],
) -> None:
    flags = undominated([p[0] for p in points], [p[1] for p in points])
    reverse = undominated([p[0] for p in points[::-1]], [p[1] * 1024 for p in points[::-1]])
    assert flags.tolist() == reverse.tolist()[::-1]


def test_the_front_climbs_with_the_cost() -> None:
    rng = np.random.default_rng(7)
    scores, costs = rng.random(200), rng.integers(0, 40, 200)
    front = [
        (cost, score)
        for cost, score, flag in zip(costs, scores, undominated(scores, costs), strict=True)
        if flag
    ]
    front.sort()
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(front)) and len(front) > 2


def test_equal_runs_are_both_undominated() -> None:
    assert undominated([0.5, 0.5, 0.5], [2, 2, 3]).tolist() == [True, True, False]


def test_a_score_whose_last_digit_alone_is_higher_is_no_better() -> None:
    assert undominated([0.3, 0.1 + 0.2], [1, 2]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("scores", "costs"), [([0.1, float("nan")], [1, 2]), ([0.1], [float("inf")]), ([0.1], [1, 2])]
)
def test_values_that_cannot_be_compared_are_refused(scores: list[float], costs: list[float]) -> None:
    with pytest.raises(Refused, match="expected"):
        undominated(scores, costs)

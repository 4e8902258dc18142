"""Bootstrap intervals of means: their coverage in simulated campaigns, and their edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t as student

from metrics.significance.intervals import (
    LEAST_TOPICS,
    MANY_TOPICS,
    TOO_EQUAL,
    TOO_NEAR,
    mean_intervals,
    why_no_interval,
)
from pooling.arrays import Matrix

CAMPAIGNS = 3000  # a coverage of 95 % has a standard error of 0.4 %
Draw = Callable[[np.random.Generator, tuple[int, int]], Matrix]


def average_precision(rng: np.random.Generator, shape: tuple[int, int]) -> Matrix:
    return rng.beta(1.6, 3.4, shape)


def precision_at_10(rng: np.random.Generator, shape: tuple[int, int]) -> Matrix:
    return np.round(10 * rng.beta(2, 2, shape)) / 10


def a_weak_run(rng: np.random.Generator, shape: tuple[int, int]) -> Matrix:
    return rng.beta(0.5, 4, shape)


def a_weak_run_with_zeros(rng: np.random.Generator, shape: tuple[int, int]) -> Matrix:
    return np.where(rng.random(shape) < 0.3, 0.0, rng.beta(1, 6, shape))


def a_run_with_zeros_on_half_of_the_topics(rng: np.random.Generator, shape: tuple[int, int]) -> Matrix:
    return np.where(rng.random(shape) < 0.5, 0.0, rng.beta(1, 4, shape))


def a_weak_run_with_one_good_topic_in_thirty(rng: np.random.Generator, shape: tuple[int, int]) -> Matrix:
    return np.where(rng.random(shape) < 1 / 30, 0.5, rng.beta(1.5, 28.5, shape))


ORDINARY: list[tuple[Draw, float]] = [(average_precision, 1.6 / 5), (precision_at_10, 0.5)]
WEAK: list[tuple[Draw, float]] = [
    (a_weak_run, 0.5 / 4.5),
    (a_weak_run_with_zeros, 0.7 / 7),
    (a_run_with_zeros_on_half_of_the_topics, 0.1),
    (a_weak_run_with_one_good_topic_in_thirty, 0.5 / 30 + 0.05 * 29 / 30),
]


class Coverage(NamedTuple):
    """Shares of simulated campaigns.

    holds: of those with an interval, in which it holds the true mean. given: of all, that have an interval.
    misses: of all, that have an interval which does not hold the true mean.
    """

    holds: float
    given: float
    misses: float


def coverage_of(draw: Draw, mean: float, topics: int) -> Coverage:
    values = draw(np.random.default_rng(topics), (topics, CAMPAIGNS))
    found = mean_intervals(values, 0, 1, draws=2000)
    assert found
    low, high = found
    given = np.isfinite(low)
    holds = (low <= mean) & (mean <= high)
    return Coverage(float(holds[given].mean()), float(given.mean()), float((given & ~holds).mean()))


@pytest.mark.parametrize("topics", [10, 15, 25, 50])
@pytest.mark.parametrize(("draw", "mean"), ORDINARY)
def test_95_percent_intervals_hold_the_true_mean_in_93_to_97_percent_of_campaigns(
    draw: Draw, mean: float, topics: int
) -> None:
    found = coverage_of(draw, mean, topics)
    assert 0.93 <= found.holds <= 0.97
    assert found.given > 0.98


@pytest.mark.parametrize("topics", [MANY_TOPICS, 50])
@pytest.mark.parametrize(("draw", "mean"), WEAK[:3])
def test_intervals_of_weak_runs_hold_the_true_mean_from_25_topics_on(
    draw: Draw, mean: float, topics: int
) -> None:
    found = coverage_of(draw, mean, topics)
    assert 0.93 <= found.holds <= 0.97
    assert found.given > 0.98


@pytest.mark.parametrize("topics", [LEAST_TOPICS, MANY_TOPICS - 1])
@pytest.mark.parametrize(("draw", "mean"), WEAK)
def test_with_fewer_topics_most_weak_runs_have_no_interval_and_few_a_wrong_one(
    draw: Draw, mean: float, topics: int
) -> None:
    found = coverage_of(draw, mean, topics)
    assert found.given < 0.25
    assert found.misses < 0.03


def test_a_mean_near_an_end_of_the_range_has_an_interval_from_25_topics_on_and_else_a_reason() -> None:
    low = np.random.default_rng(6).beta(1, 9, (MANY_TOPICS, 1))
    for values, ends in ((low, (0, 1)), (1 - low, (0, 1)), (20 * low - 10, (-10, 10))):
        few = mean_intervals(values[1:], *ends) or pytest.fail("no intervals")
        assert np.isnan(few).all()
        assert why_no_interval(values[1:, 0], *ends) == TOO_NEAR
        assert np.isfinite(mean_intervals(values, *ends) or np.nan).all()
    assert np.isfinite(mean_intervals(low[1:], 0) or np.nan).all()  # a measure without a largest value
    assert why_no_interval(np.zeros(12), 0, 1) == TOO_EQUAL


def test_fewer_than_ten_topics_have_no_interval() -> None:
    values = np.random.default_rng(2).random((LEAST_TOPICS, 3))
    assert LEAST_TOPICS == 10
    assert mean_intervals(values) is not None
    assert mean_intervals(values[1:]) is None
    assert mean_intervals(values[:0]) is None


def test_equal_scores_on_all_topics_have_no_interval_and_do_not_change_that_of_other_runs() -> None:
    values = np.random.default_rng(5).random((12, 3))
    values[:, 1] = 0.1
    low, high = mean_intervals(values, 0, 1) or pytest.fail("no intervals")
    assert np.isnan([low[1], high[1]]).all()
    assert np.isfinite([*low[[0, 2]], *high[[0, 2]]]).all()


def test_a_single_topic_with_a_score_has_no_interval() -> None:
    values = np.zeros((20, 1))
    values[3] = 0.7
    low, high = mean_intervals(values, 0, 1) or pytest.fail("no intervals")
    assert np.isnan([low[0], high[0]]).all()


def test_no_end_lies_outside_the_range_of_the_measure() -> None:
    values = np.array([0.0] * 6 + [0.1, 0.2, 0.9, 1.0, 1.0, 0.8])[:, None]
    free, bounded = mean_intervals(values - 0.3), mean_intervals(values - 0.3, 0.0, 0.1)
    assert free and bounded
    assert free[0][0] < 0 and free[1][0] > 0.1
    assert (bounded[0][0], bounded[1][0]) == (0.0, 0.1)


def test_the_interval_of_many_normal_scores_is_that_of_student() -> None:
    values = np.random.default_rng(3).normal(0.4, 0.1, (200, 1))
    found = mean_intervals(values, draws=40_000)
    assert found
    error = values.std(ddof=1) / np.sqrt(200)
    expected = student.interval(0.95, 199, values.mean(), error)
    assert (found[0][0], found[1][0]) == pytest.approx(expected, abs=0.1 * error)


def test_the_interval_is_that_of_a_plain_loop() -> None:
    values, draws = np.random.default_rng(8).beta(1, 3, 15), 400
    chosen = np.random.default_rng(4).integers(15, size=(draws, 15))
    samples = [values[row] for row in chosen]
    t = np.sort([(s.mean() - values.mean()) / (s.std(ddof=1) / 15**0.5) for s in samples])
    error = values.std(ddof=1) / 15**0.5
    found = mean_intervals(values[:, None], draws=draws, seed=4)
    assert found
    at_low, at_high = int(0.025 * (draws - 1)), int(np.ceil(0.975 * (draws - 1)))
    assert found[0][0] == pytest.approx(values.mean() - t[at_high] * error)
    assert found[1][0] == pytest.approx(values.mean() - t[at_low] * error)


def test_the_same_seed_gives_the_same_interval_however_many_columns_there_are() -> None:
    values = np.random.default_rng(1).random((25, 6))
    together, alone = mean_intervals(values), mean_intervals(values[:, 2:3])
    assert together and alone
    assert together[0][2] == pytest.approx(alone[0][0], abs=1e-12)
    assert together[1][2] == pytest.approx(alone[1][0], abs=1e-12)


@given(st.lists(st.floats(-2, 1), min_size=10, max_size=30))
def test_an_interval_holds_the_mean_and_lies_in_the_range(values: list[float]) -> None:
    found = mean_intervals(np.array(values)[:, None], -2, 1, draws=200)
    assert found
    assume(np.isfinite(found[0][0]))
    assert -2 <= found[0][0] <= np.mean(values) + 1e-9
    assert np.mean(values) - 1e-9 <= found[1][0] <= 1

"""Bootstrap intervals, beside distributions that are known exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, bootstrap

from metrics.intervals import mean_intervals


@pytest.mark.parametrize(("topics", "ones"), [(50, 20), (30, 3), (200, 150)])
def test_the_mean_of_zeros_and_ones_is_bootstrapped_as_the_binomial_says(topics: int, ones: int) -> None:
    values = np.array([[1.0]] * ones + [[0.0]] * (topics - ones))
    found = mean_intervals(values, draws=40_000)
    assert found
    exact = binom.ppf([0.025, 0.975], topics, ones / topics) / topics
    assert found[0][0] == pytest.approx(exact[0], abs=1.01 / topics)
    assert found[1][0] == pytest.approx(exact[1], abs=1.01 / topics)


def test_scipy_finds_the_same_percentiles() -> None:
    values = np.random.default_rng(3).beta(2, 3, (40, 1))
    found = mean_intervals(values, draws=20_000)
    theirs = bootstrap((values[:, 0],), np.mean, n_resamples=20_000, method="percentile", rng=1)
    assert found
    assert (found[0][0], found[1][0]) == pytest.approx(tuple(theirs.confidence_interval), abs=0.004)


def test_one_topic_says_nothing() -> None:
    assert mean_intervals(np.array([[0.3, 0.4]])) is None


def test_the_same_seed_gives_the_same_interval_however_many_columns_there_are() -> None:
    values = np.random.default_rng(1).random((25, 6))
    together, alone = mean_intervals(values), mean_intervals(values[:, 2:3])
    assert together and alone
    assert together[0][2] == pytest.approx(alone[0][0], abs=1e-12)
    assert together[1][2] == pytest.approx(alone[1][0], abs=1e-12)


@given(st.lists(st.floats(-2, 1), min_size=2, max_size=30))
def test_an_interval_lies_among_the_values(values: list[float]) -> None:
    found = mean_intervals(np.array(values)[:, None], draws=200)
    assert found
    assert min(values) <= found[0][0] <= found[1][0] <= max(values)

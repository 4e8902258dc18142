"""Differences by user, samples, splits and power against scipy, statsmodels, published and brute figures."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.ab_tests.by_user import Rows, Sample, population_of, ratio_sample, sample_of
from metrics.ab_tests.differences import ALL_SAME, TOO_FEW, share_difference, welch
from metrics.ab_tests.outcomes import MEAN, MORE, ROWS, Outcome, outcome_of
from metrics.ab_tests.power import detectable, users_needed, z_sum
from metrics.ab_tests.split import split_of
from pooling.refusals import Refused

power = pytest.importorskip("statsmodels.stats.power")
proportion = pytest.importorskip("statsmodels.stats.proportion")
values = st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=30)


def share(successes: int, users: int) -> Sample:
    return sample_of(np.repeat([1.0, 0.0], [successes, users - successes]))


@pytest.mark.filterwarnings("ignore:Precision loss")  # of scipy, where one sample is constant
@given(values, values)
def test_the_difference_of_means_is_that_of_scipy(first: list[float], second: list[float]) -> None:
    found = welch(sample_of(np.array(first)), sample_of(np.array(second)))
    if len({*first}) == len({*second}) == 1:
        assert (found.p, found.reason) == (None, ALL_SAME)
        return
    expected = stats.ttest_ind(second, first, equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.df == pytest.approx(expected.df)


def test_a_single_user_has_no_test() -> None:
    assert welch(Sample(1, 2.0), Sample(5, 3.0, 1.0)).reason == TOO_FEW
    assert welch(Sample(0), Sample(5, 3.0, 1.0)).difference is None
    assert share_difference(Sample(1, 1.0), share(1, 5)).reason == TOO_FEW


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [  # Newcombe 1998, Interval estimation for the difference between independent proportions, method 6
        ((56, 70), (48, 80), 0.0528, 0.3382),
        ((9, 10), (3, 10), 0.1700, 0.8406),
        ((6, 7), (2, 7), 0.0342, 0.8534),
        ((5, 56), (0, 29), -0.0326, 0.1933),
        ((10, 10), (0, 10), 0.6636, 1.0),
    ],
)
def test_published_intervals_of_shares(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    found = share_difference(share(*second), share(*first))
    assert (found.low, found.high) == pytest.approx((low, high), abs=5.1e-5)


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_a_share_is_tested_as_by_statsmodels_and_its_interval_agrees(
    m: int, n: int, data: st.DataObject
) -> None:
    m, n = m + 1, n + 1
    a, b = data.draw(st.integers(0, m)), data.draw(st.integers(0, n))
    found = share_difference(share(a, m), share(b, n))
    if found.p is None:
        assert found.reason == ALL_SAME and a / m == b / n in (0, 1)
        return
    pooled = (a + b) / (m + n)
    error = np.sqrt(pooled * (1 - pooled) * (1 / m + 1 / n) * (m + n) / (m + n - 1))
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(b / n - a / m) / error))
    assert found.low is not None and found.high is not None
    assert -1 <= found.low <= b / n - a / m <= found.high <= 1
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0)


def test_the_p_value_of_shares_is_that_of_statsmodels() -> None:
    expected = proportion.test_proportions_2indep(35, 100, 20, 100, method="score").pvalue
    assert share_difference(share(20, 100), share(35, 100)).p == pytest.approx(expected)


def test_the_error_of_a_ratio_of_sums_is_that_of_repeated_draws_of_users() -> None:
    random = np.random.default_rng(5)
    below = random.geometric(0.4, 400).astype(float)
    above = below * random.lognormal(0, 0.8, 400)
    found = ratio_sample(above, below)
    drawn = random.integers(0, 400, (4000, 400))
    ratios = above[drawn].sum(axis=1) / below[drawn].sum(axis=1)
    assert found.mean == above.sum() / below.sum()
    assert found.variance is not None
    assert np.sqrt(found.variance / found.n) == pytest.approx(ratios.std(), rel=0.05)
    assert ratio_sample(np.array([1.0, 2.0]), np.zeros(2)) == Sample(2)


def test_a_user_counts_once_and_not_at_all_if_both_variants_were_seen() -> None:
    nan = float("nan")
    rows = Rows(
        ["A", "B"],
        5,
        np.array([0, 0, 1, 0, 1, 1, 1]),
        np.array([0, 0, 1, 2, 2, 3, 4]),
        {"clicks": np.array([1.0, 3.0, 5.0, 9.0, 9.0, 0.0, nan])},
    )
    outcomes = [
        Outcome("clicks", MORE, MEAN),
        outcome_of("clicks", "sum")._replace(column="clicks"),
    ]
    found = population_of(rows, outcomes[:1])
    assert (found.users, found.rows, found.both) == ({"A": 1, "B": 3}, {"A": 2, "B": 3}, 1)
    assert found.samples["clicks"] == {"A": Sample(1, 2.0), "B": Sample(2, 2.5, 12.5)}
    sums = population_of(rows, outcomes[1:]).samples["clicks"]["A"]
    shares = population_of(rows, [outcome_of("clicks", "any")]).samples["clicks"]["B"]
    ratio = population_of(rows, [outcome_of(f"clicks / {ROWS}")]).samples["clicks / rows"]["B"]
    assert (sums.mean, shares.mean, ratio.mean) == (4.0, 0.5, 2.5)


@pytest.mark.parametrize("n", [10, 5000])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_what_is_detectable_is_that_of_statsmodels(n: int, alpha: float) -> None:
    solve = power.NormalIndPower().solve_power
    expected = 3.0 * solve(nobs1=n, alpha=alpha, power=0.8, ratio=2.0)
    assert detectable((n, 2 * n), (3.0, 3.0), alpha) == pytest.approx(expected, rel=1e-3)
    difference = detectable((n, n), (3.0, 3.0), alpha)
    assert users_needed(difference, 3.0, alpha=alpha) in (2 * n, 2 * n + 1)
    with pytest.raises(Refused):
        users_needed(0, 1)
    with pytest.raises(Refused):
        z_sum(0, 0.8)


def test_the_split_of_two_is_exact_and_of_more_chi_squared() -> None:
    two = split_of({"A": 60, "B": 30}, {"A": 1, "B": 1})
    assert two.p == pytest.approx(stats.binomtest(60, 90).pvalue)
    three = split_of({"A": 60, "B": 30, "C": 30}, {"A": 2, "B": 1, "C": 1})
    assert (three.p, three.expected["A"]) == (1.0, 60)
    assert split_of({"A": 0, "B": 0}).p is None
    for shares in ({"A": 1.0}, {"A": 1.0, "B": 0.0}, {"A": 1.0, "C": 1.0}):
        with pytest.raises(Refused):
            split_of({"A": 1, "B": 1}, shares)


def test_a_drift_of_one_percent_in_100_000_users_is_found() -> None:
    """A variant has 1 % fewer users than planned: 49,500 of 100,000, not 50,000."""
    assert split_of({"A": 49_500, "B": 50_500}).is_mismatch  # p = 0.0016
    assert not split_of({"A": 49_750, "B": 50_250}).is_mismatch  # half of that
    assert (split_of({"A": 49_000, "B": 51_000}).p or 0) < 1e-9  # one percentage point


def test_a_random_drift_is_found_as_often_as_said_and_a_true_split_rarely() -> None:
    n, random = 100_000, np.random.default_rng(3)
    lowest = bisect_left(range(n // 2), True, key=lambda a: not split_of({"A": a, "B": n - a}).is_mismatch)

    def found(part: float) -> float:
        """Return how often a count of A is outside of those that are no mismatch: lowest to n - lowest."""
        counts = random.binomial(n, part, 20_000)
        return float(np.mean((counts < lowest) | (counts > n - lowest)))

    assert 0.70 < found(0.495) < 0.74  # 1 % fewer users in expectation
    assert found(0.490) > 0.999  # one percentage point
    assert 0.008 < found(0.5) < 0.012  # alpha 0.01
    shift = split_of({"A": n // 2, "B": n // 2}).shift
    assert shift is not None and 0.78 < found(0.5 * (1 - shift)) < 0.82

"""Tests of many systems at once: published values, scipy, statsmodels, and letters that say what p says."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway

from metrics.significance.all_pairs import AllPairs, letter_display
from metrics.significance.discriminative_power import discriminative_power
from metrics.significance.paired import paired_t_test
from metrics.significance.pairwise import pairwise_t_tests
from metrics.significance.resampling import randomisation_test
from metrics.significance.studentized_range import studentized_range_isf, studentized_range_sf
from metrics.significance.tukey import anova_effect_sizes, randomised_tukey_hsd, tukey_hsd, two_way_anova
from pooling.arrays import Matrix

from .sakai import SCORES, A, B

AllPairsTest = Callable[[Matrix], AllPairs]
TESTS: list[AllPairsTest] = [tukey_hsd, randomised_tukey_hsd, pairwise_t_tests]


def p_of(found: AllPairs) -> list[float | None]:
    return [found.pair(one, other).p for one, other in combinations(range(len(found.means)), 2)]


def generated(topics: int, systems: int, seed: int = 0) -> Matrix:
    rng = np.random.default_rng(seed)
    hard, good = rng.random((topics, 1)), rng.random(systems) / 4
    values: Matrix = 0.5 * hard + good + 0.1 * rng.random((topics, systems))
    return values


# Published values


def test_two_way_analysis_of_variance_of_sakais_table() -> None:
    found = two_way_anova(SCORES)
    squares = (found.of_systems, found.of_topics, found.of_residual)
    assert squares == pytest.approx((0.1083, 1.0293, 0.8317), abs=5e-5)
    assert found.variance == pytest.approx(0.0219, abs=5e-5)
    assert (found.f_systems, found.p_systems) == pytest.approx((2.475, 0.098), abs=5e-4)
    assert found.p_topics == pytest.approx(0.009, abs=5e-4)


def test_tukey_hsd_of_sakais_table() -> None:
    found = tukey_hsd(SCORES)
    assert p_of(found) == pytest.approx([0.2567, 0.0957, 0.8550], abs=5e-5)
    assert found.comparisons == 3
    sizes = anova_effect_sizes(SCORES)
    assert sizes is not None
    assert [sizes[0, 1], sizes[0, 2], sizes[1, 2]] == pytest.approx([0.5070, 0.6760, 0.1690], abs=5e-5)


def test_randomised_tukey_hsd_of_sakais_table() -> None:
    found = randomised_tukey_hsd(SCORES, draws=100_000, seed=1)
    error = (0.3 * 0.7 / 100_000) ** 0.5
    assert p_of(found) == pytest.approx([0.303, 0.107, 0.892], abs=5 * error + 5e-4)


# Oracles


@pytest.mark.parametrize(
    ("systems", "freedom"),
    [(2, 1), (2, 49), (3, 2), (3, 38), (10, 9), (10, 441), (33, 32), (33, 1504), (100, 99), (100, 4851)],
)
def test_the_studentized_range_is_scipys(systems: int, freedom: int) -> None:
    q = np.array([0.0, 0.1, 1, 2.5, 4, 7, 15])
    expected = stats.studentized_range.sf(q, systems, freedom)
    assert studentized_range_sf(q, systems, freedom) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("freedom", [1, 2, 3])
def test_the_studentized_range_of_two_systems_on_few_topics_is_right_in_the_tail(freedom: int) -> None:
    q = np.array([1.0, 40, 300, 1180])
    expected = 2 * stats.t.sf(q / np.sqrt(2), freedom)
    assert studentized_range_sf(q, 2, freedom) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("alpha", "systems", "freedom"),
    [(0.05, 3, 38), (0.05, 72, 71 * 29), (0.01, 5, 4), (0.05, 2, 1), (0.2, 17, 1584), (0.001, 10, 90)],
)
def test_the_critical_value_is_scipys(alpha: float, systems: int, freedom: int) -> None:
    expected = stats.studentized_range.ppf(1 - alpha, systems, freedom)
    assert studentized_range_isf(alpha, systems, freedom) == pytest.approx(expected, rel=1e-6)


def test_tukey_of_two_systems_is_the_paired_t_test() -> None:
    t = paired_t_test(A, B)
    found = tukey_hsd(SCORES[:, :2]).pair(0, 1)
    assert found.p == pytest.approx(t.p)
    assert found.interval == pytest.approx(t.interval)
    assert t.statistic is not None
    assert found.statistic == pytest.approx(t.statistic * 2**0.5)


def test_randomised_tukey_of_two_systems_is_the_randomisation_test() -> None:
    exact = randomisation_test(A, B, exact_topics=20)
    found = randomised_tukey_hsd(SCORES[:, :2], draws=50_000, seed=2).pair(0, 1)
    assert found.p == pytest.approx(exact.p, abs=5 * (0.066 / 50_000) ** 0.5)
    assert found.difference == pytest.approx(0.075)


def test_topics_as_blocks_take_their_variance_out() -> None:
    values = generated(20, 5)
    residual = values - values.mean(axis=1, keepdims=True)  # what is left without the topics' means
    one_way = anova_oneway([residual[:, column] for column in range(5)], use_var="equal")
    found = two_way_anova(values)
    # the same sums of squares; one-way believes in 5 x 19 degrees of freedom, two-way knows 4 x 19
    assert found.f_systems == pytest.approx(one_way.statistic * found.freedom / 95)


def test_randomised_tukey_is_a_plain_loop() -> None:
    values, rng = generated(6, 4), np.random.default_rng(5)
    found = randomised_tukey_hsd(values, draws=4000, seed=3)
    ranges = []
    for _ in range(4000):
        means = np.mean([rng.permutation(row) for row in values], axis=0)
        ranges.append(means.max() - means.min())
    means = values.mean(axis=0)
    expected = [np.mean(np.array(ranges) >= abs(means[i] - means[j])) for i, j in combinations(range(4), 2)]
    assert p_of(found) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(("correction", "name"), [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")])
def test_pairwise_t_tests_are_scipys_corrected_by_statsmodels(correction: str, name: str) -> None:
    values = generated(15, 5)
    found = pairwise_t_tests(values, correction)
    raw = [stats.ttest_rel(values[:, i], values[:, j]) for i, j in combinations(range(5), 2)]
    assert p_of(found) == pytest.approx(multipletests([each.pvalue for each in raw], method=name)[1])
    assert found.pair(1, 3).statistic == pytest.approx(stats.ttest_rel(values[:, 1], values[:, 3]).statistic)
    assert found.pair(3, 1).statistic == pytest.approx(stats.ttest_rel(values[:, 3], values[:, 1]).statistic)
    assert found.comparisons == 10


# Properties


@pytest.mark.parametrize("test", TESTS)
def test_what_is_beyond_the_critical_difference_is_significant(test: AllPairsTest) -> None:
    found = test(generated(20, 8))
    for one, other in combinations(range(8), 2):
        pair = found.pair(one, other)
        assert pair.p is not None
        assert pair.difference is not None
        assert 0 <= pair.p <= 1
        assert found.different[one, other] == (pair.p <= 0.05)
        if found.critical is not None:
            assert (abs(pair.difference) > found.critical) == (pair.p <= 0.05)
            assert pair.interval is not None
            assert (pair.p <= 0.05) == (not pair.interval.low <= 0 <= pair.interval.high)


@pytest.mark.parametrize("test", TESTS)
def test_turning_a_pair_turns_its_signs(test: AllPairsTest) -> None:
    found = test(generated(10, 3))
    here, there = found.pair(0, 2), found.pair(2, 0)
    assert (here.p, here.difference) == (there.p, -(there.difference or 0))
    assert here.statistic == -(there.statistic or 0)
    assert np.sign(here.statistic or 0) == np.sign(here.difference or 0)


@pytest.mark.parametrize("test", [tukey_hsd, pairwise_t_tests])
def test_the_order_of_topics_is_irrelevant_to_all_pairs(test: AllPairsTest) -> None:
    values = generated(10, 4)
    assert p_of(test(values)) == pytest.approx(p_of(test(values[::-1])))


def test_a_seed_gives_the_same_pairs_again() -> None:
    first, again = (randomised_tukey_hsd(SCORES, draws=999, seed=4) for _ in range(2))
    assert p_of(first) == p_of(again)
    assert (first.seed, first.draws) == (4, 999)


# What has no value, and what is refused


@pytest.mark.parametrize("test", TESTS)
def test_too_little_gives_a_reason(test: AllPairsTest) -> None:
    one_system = test(SCORES[:, :1])
    one_topic = test(SCORES[:1])
    assert one_system.reason == "fewer than two systems"
    assert one_topic.reason == one_topic.pair(0, 1).reason == "fewer than two topics"
    assert one_topic.display().letters == ("a", "a", "a")
    assert one_topic.comparisons == 0


def test_nothing_left_to_chance_gives_a_reason() -> None:
    exact = np.array([[0.1, 0.2], [0.3, 0.4], [0.7, 0.8]])
    assert two_way_anova(exact).reason.startswith("nothing is left to chance")
    assert tukey_hsd(exact).pair(0, 1).reason.startswith("nothing is left to chance")
    assert anova_effect_sizes(exact) is None


def test_pairs_that_do_not_vary_have_no_t_and_do_not_count() -> None:
    values = np.stack([A, A, B, A + 0.1], axis=1)
    found = pairwise_t_tests(values)
    assert found.pair(0, 1).reason == "every difference is zero"
    assert found.pair(3, 0).reason == "every difference is the same: nothing varies"
    assert found.comparisons == 3
    assert discriminative_power({"m": values}, pairwise_t_tests)[0].pairs == 3


def test_bad_values_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        randomised_tukey_hsd(np.array([[1, np.nan], [1, 2]]))
    with pytest.raises(ValueError, match="topics, systems"):
        tukey_hsd(A)
    with pytest.raises(ValueError, match="alpha"):
        tukey_hsd(SCORES, alpha=5)


# Letters


def test_letters_of_overlapping_groups() -> None:
    means = np.array([0.5, 0.1, 0.45, 0.3, 0.25])
    different = np.abs(means[:, None] - means[None, :]) > 0.2
    found = letter_display(different, np.argsort(-means).tolist())
    assert found.groups == ((0, 2, 3), (2, 3, 4), (3, 4, 1))
    assert found.letters == ("a", "c", "ab", "abc", "bc")


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(
            st.lists(st.booleans(), min_size=n * n, max_size=n * n), st.permutations(range(n))
        )
    )
)
def test_systems_share_a_letter_exactly_when_they_are_not_different(
    drawn: tuple[list[bool], list[int]],
) -> None:
    flags, order = drawn
    upper = np.triu(np.array(flags).reshape(len(order), -1), 1)
    different = upper | upper.T
    found = letter_display(different, order)
    assert all(found.letters)
    for one, other in combinations(range(len(order)), 2):
        assert bool(set(found.letters[one]) & set(found.letters[other])) == (not different[one, other])
    for group in found.groups:
        assert list(group) == sorted(group, key=order.index)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 10))
def test_one_critical_difference_gives_the_longest_stretches(means: list[int], critical: int) -> None:
    order = sorted(range(len(means)), key=lambda system: -means[system])
    different = np.abs(np.subtract.outer(means, means)) > critical
    stretches = {
        tuple(order[start : start + sum(means[order[start]] - means[s] <= critical for s in order[start:])])
        for start in range(len(order))
    }
    longest = {each for each in stretches if not any(set(each) < set(other) for other in stretches)}
    assert set(letter_display(different, order).groups) == longest


def test_letters_go_on_after_z() -> None:
    everything = ~np.eye(28, dtype=bool)
    assert letter_display(everything, range(28)).letters[25:] == ("z", "a′", "b′")


# Discriminative power


def test_a_measure_with_less_noise_discriminates_more() -> None:
    clear = generated(25, 6)
    noisy = clear + np.random.default_rng(2).normal(0, 0.5, clear.shape)
    found = discriminative_power({"noisy": noisy, "clear": clear})
    assert [each.measure for each in found] == ["clear", "noisy"]
    assert (found[0].share or 0) > (found[1].share or 0)
    for each in found:
        assert each.pairs == len(each.curve) == 15
        assert list(each.curve) == sorted(each.curve, reverse=True)
        assert each.share == each.significant / 15 == sum(p <= 0.05 for p in each.curve) / 15
    assert discriminative_power({"none": clear[:1]})[0].reason == "fewer than two topics"


@settings(max_examples=10)
@given(st.integers(2, 5), st.integers(2, 6), st.integers(0, 1000))
def test_no_answer_is_a_nan(systems: int, topics: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 3, (topics, systems)) / 2
    for test in TESTS:
        found = test(values)
        assert (found.p is None) == bool(found.reason)
        for part in (found.p, found.statistic):
            assert part is None or np.isfinite(part).all()
        if found.p is not None:
            assert (found.p == found.p.T).all()

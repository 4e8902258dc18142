"""Tests of two systems: published values, scipy, brute force, and what must not depend on what."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import ModuleType
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from assess.corrections import CORRECTIONS, benjamini_hochberg, bonferroni, holm
from metrics.significance import resampling
from metrics.significance.paired import (
    PairedTest,
    cohens_d,
    d_z,
    hedges_g,
    paired_t_test,
    sign_test,
    wilcoxon_test,
)
from metrics.significance.pairwise import against_baseline
from metrics.significance.resampling import paired_bootstrap_test, randomisation_test
from pooling.arrays import Vector

from .sakai import SCORES, A, B

TESTS = [paired_t_test, randomisation_test, paired_bootstrap_test, wilcoxon_test, sign_test]
Test = Callable[[Vector, Vector], PairedTest]


def scores(*values: float) -> Vector:
    return np.array(values, dtype=np.float64)


def twentieths(n: int) -> st.SearchStrategy[Vector]:
    return st.lists(st.integers(0, 20), min_size=n, max_size=n).map(lambda each: scores(*each) / 20)


pairs = st.integers(2, 9).flatmap(lambda n: st.tuples(twentieths(n), twentieths(n)))


# Published values


def test_t_of_sakais_table() -> None:
    found = paired_t_test(A, B)
    assert found.statistic == pytest.approx(2.116, abs=5e-4)
    assert found.p == pytest.approx(0.048, abs=5e-4)
    assert found.difference == pytest.approx(0.075)
    assert found.interval == pytest.approx((0.075 - 0.0742, 0.075 + 0.0742, 0.95), abs=5e-5)
    assert d_z(A, B).value == pytest.approx(0.473, abs=5e-4)


def test_sign_of_sakais_table_and_of_smucker_allan_and_carterettes() -> None:
    assert sign_test(A, B).p == pytest.approx(0.3018, abs=5e-5)
    assert sign_test(A, B).statistic == 10
    wins = scores(*[1] * 29, *[-1] * 21)
    assert sign_test(wins, 0 * wins).p == pytest.approx(0.3222, abs=5e-5)


def test_exact_randomisation_of_sakais_table() -> None:
    found = randomisation_test(A, B, exact_topics=20)
    assert found.p == pytest.approx(0.06592, abs=5e-6)
    assert found.name == "randomisation test, exact"
    assert found.draws == 0
    assert found.seed is None


def test_sampled_randomisation_comes_near_the_exact_one() -> None:
    exact, sampled = randomisation_test(A, B, exact_topics=20), randomisation_test(A, B)
    assert sampled.draws == 100_000
    error = (0.066 * 0.934 / 100_000) ** 0.5
    assert sampled.p == pytest.approx(exact.p, abs=5 * error)
    assert sampled.interval == pytest.approx(exact.interval, abs=0.005)


# Oracles


@given(pairs)
def test_t_is_scipys(pair: tuple[Vector, Vector]) -> None:
    found = paired_t_test(*pair)
    if found.reason:
        return
    expected = stats.ttest_rel(*pair)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


@given(pairs)
def test_exact_randomisation_is_brute_force(pair: tuple[Vector, Vector]) -> None:
    found = randomisation_test(*pair)
    whole = np.rint(20 * (pair[0] - pair[1])).astype(int)
    if found.reason:
        assert not whole.any()
        return
    totals = [abs(int(np.dot(signs, whole))) for signs in product((-1, 1), repeat=len(whole))]
    assert found.p == sum(total >= abs(whole.sum()) for total in totals) / len(totals)


@settings(max_examples=20)
@given(pairs)
def test_exact_randomisation_is_scipys(pair: tuple[Vector, Vector]) -> None:
    # whole numbers: scipy would take the rounding of a mean of 0 for a difference
    whole = np.rint(20 * pair[0]), np.rint(20 * pair[1])
    found = randomisation_test(*whole)
    if found.reason:
        return
    expected = stats.permutation_test(
        whole, lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", n_resamples=np.inf,
        vectorized=True,
    )  # fmt: skip
    assert found.p == pytest.approx(expected.pvalue)


@given(st.integers(6, 9).flatmap(lambda n: st.tuples(twentieths(n), twentieths(n))))
def test_the_randomisation_interval_holds_what_the_test_does_not_reject(pair: tuple[Vector, Vector]) -> None:
    found = randomisation_test(*pair)
    if found.interval is None:
        assert found.reason
        return
    for end, outside in ((found.interval.low, -1e-6), (found.interval.high, 1e-6)):
        beyond = randomisation_test(pair[0] - end - outside, pair[1])
        inside = randomisation_test(pair[0] - end + outside, pair[1])
        assert beyond.p is not None
        assert beyond.p <= 0.05
        assert inside.p is None or inside.p > 0.05


def exact_wilcoxon(differences: Vector) -> float:
    """Return p over all signs of the ranks: the distribution of their sum, one rank after the other."""
    kept = np.round(differences[np.round(differences, 9) != 0], 9)
    doubled = (2 * stats.rankdata(np.abs(kept))).astype(int)
    upward = int(doubled[kept > 0].sum())
    chances = np.ones(1)
    for rank in doubled.tolist():
        chances = (np.append(chances, np.zeros(rank)) + np.append(np.zeros(rank), chances)) / 2
    return min(1.0, 2 * float(chances[: min(upward, int(doubled.sum()) - upward) + 1].sum()))


@given(st.integers(2, 13).flatmap(lambda n: st.tuples(twentieths(n), twentieths(n))))
def test_wilcoxon_is_exact_also_with_ties(pair: tuple[Vector, Vector]) -> None:
    found = wilcoxon_test(*pair)
    if found.reason:
        assert not np.rint(20 * (pair[0] - pair[1])).any()
        return
    assert found.p == pytest.approx(exact_wilcoxon(pair[0] - pair[1]))
    assert "exact" in found.name


@given(st.lists(st.integers(-60, 60), min_size=14, max_size=40))
def test_wilcoxon_of_many_tied_topics_is_near_the_exact_p(differences: list[int]) -> None:
    first = np.array(differences) / 60
    found = wilcoxon_test(first, 0 * first)
    sizes = [abs(each) for each in differences if each]
    if len(sizes) <= 13 or len(set(sizes)) == len(sizes):
        return
    assert "normal approximation" in found.name
    assert found.p == pytest.approx(exact_wilcoxon(first), abs=0.02)
    assert found.p == pytest.approx(stats.wilcoxon([d for d in differences if d], method="asymptotic").pvalue)


def test_wilcoxon_of_seven_thousand_topics_is_the_normal_approximation() -> None:
    random = np.random.default_rng(3)
    first, second = random.random(6_980).round(4), random.random(6_980).round(4)
    found = wilcoxon_test(first, second)  # the exact distribution would take half an hour
    differences = np.round(first - second, 9)
    expected = stats.wilcoxon(differences[differences != 0], method="asymptotic")
    assert "normal approximation" in found.name
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_wilcoxon_without_ties_is_scipys() -> None:
    first = np.random.default_rng(1).random(40)
    found = wilcoxon_test(first, 0 * first + 0.4)
    expected = stats.wilcoxon(first - 0.4, method="exact")
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_wilcoxon_of_sakais_table_ties_what_differs_by_rounding_only() -> None:
    differences = np.round(A - B, 9)
    expected = stats.wilcoxon(differences[differences != 0], method="asymptotic")
    assert wilcoxon_test(A, B).p == pytest.approx(expected.pvalue)
    assert exact_wilcoxon(A - B) == pytest.approx(0.0403, abs=5e-5)


def test_the_bootstrap_test_agrees_with_t_on_what_is_normal() -> None:
    rng = np.random.default_rng(7)
    second = rng.normal(0.4, 0.1, 50)
    first = second + rng.normal(0.02, 0.06, 50)
    t, bootstrap = paired_t_test(first, second), paired_bootstrap_test(first, second)
    assert bootstrap.statistic == pytest.approx(t.statistic)
    assert bootstrap.p == pytest.approx(t.p, abs=0.01)
    assert bootstrap.interval == pytest.approx(t.interval, abs=0.003)


def test_the_bootstrap_test_is_a_plain_loop() -> None:
    found = paired_bootstrap_test(A, B, draws=2000, seed=3)
    rng, centred, extreme = np.random.default_rng(3), (A - B) - (A - B).mean(), 0
    for places in rng.integers(20, size=(2000, 20)):
        extreme += abs(stats.ttest_1samp(centred[places], 0).statistic) >= abs(found.statistic or 0)
    assert found.p == (1 + extreme) / 2001


def test_a_resample_without_spread_and_without_difference_has_a_t_of_zero() -> None:
    """Of the 27 resamples of -1, 0 and 1, t is infinite for two and below the observed one for the others."""
    whole, rounded = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    for differences in (whole, rounded):
        test = paired_bootstrap_test(differences, np.zeros(3), draws=20_000, seed=5)
        assert test.statistic == pytest.approx(2 * 3**0.5)
        assert test.p == pytest.approx(2 / 27, abs=0.008)


@given(pairs)
def test_the_bootstrap_interval_leaves_out_zero_where_the_test_rejects(pair: tuple[Vector, Vector]) -> None:
    found = paired_bootstrap_test(*pair, draws=199)
    if found.p is None or found.interval is None or abs(found.p - 0.05) < 1e-9:
        return
    assert (found.p <= 0.05) == (not found.interval.low <= 0 <= found.interval.high)


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_are_those_of_statsmodels(p: list[float]) -> None:
    for correct, name in ((bonferroni, "bonferroni"), (holm, "holm"), (benjamini_hochberg, "fdr_bh")):
        assert correct(p).p == pytest.approx(multipletests(p, method=name)[1])
        assert correct(p).comparisons == len(p)


def test_an_undefined_p_is_no_comparison() -> None:
    for correct in CORRECTIONS.values():
        found = correct([0.01, None, 0.04])
        assert found.comparisons == 2
        assert found.p[1] is None
        assert correct([None]).p == (None,)
        assert correct([]).comparisons == 0
    assert holm([0.01, None, 0.04]).p == pytest.approx((0.02, None, 0.04))


def test_effect_sizes_by_hand() -> None:
    first, second = scores(1, 2, 3, 6), scores(0, 2, 2, 4)
    assert d_z(first, second).value == pytest.approx(1 / np.sqrt(2 / 3))
    pooled = np.sqrt((14 / 3 + 8 / 3) / 2)
    assert cohens_d(first, second).value == pytest.approx(1 / pooled)
    # Hedges' exact factor for 6 degrees of freedom is .8686 (his table); the usual short form gives .8696
    assert hedges_g(first, second).value == pytest.approx(0.8686 / pooled, abs=5e-5)


# What must not depend on what


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_topics_is_irrelevant(pair: tuple[Vector, Vector], random: object) -> None:
    order = list(range(len(pair[0])))
    random.shuffle(order)  # type: ignore[attr-defined]
    for test in (paired_t_test, randomisation_test, wilcoxon_test, sign_test):
        here, there = test(*pair), test(pair[0][order], pair[1][order])
        assert there.p == pytest.approx(here.p)
        assert there.statistic == pytest.approx(here.statistic)


@settings(max_examples=30)
@given(pairs)
def test_p_is_a_probability_or_a_reason(pair: tuple[Vector, Vector]) -> None:
    for test in TESTS:
        found, turned = test(*pair), test(*reversed(pair))
        assert (found.p is None) == bool(found.reason)
        assert found.statistic is None or np.isfinite(found.statistic)
        assert found.p is None or 0 <= found.p <= 1
        assert turned.p == pytest.approx(found.p)
        if found.interval is not None:
            assert found.interval.low <= found.interval.high


@pytest.mark.parametrize("test", [randomisation_test, paired_bootstrap_test])
def test_a_seed_gives_the_same_answer_again(test: Test) -> None:
    assert test(A, B, seed=5) == test(A, B, seed=5)  # type: ignore[call-arg]
    assert test(A, B, seed=5).p != test(A, B, seed=6).p  # type: ignore[call-arg]
    assert test(A, B, seed=5).seed == 5  # type: ignore[call-arg]


# What has no value, and what is refused


@pytest.mark.parametrize("test", TESTS)
def test_one_topic_and_equal_systems_give_a_reason(test: Test) -> None:
    assert test(scores(), scores()).reason == "fewer than two topics"
    assert test(scores(0.4), scores(0.3)).reason == "fewer than two topics"
    found = test(scores(0.4, 0.3), scores(0.4, 0.3))
    assert (found.reason, found.p, found.difference) == ("every difference is zero", None, 0.0)


@pytest.mark.parametrize("test", [paired_t_test, paired_bootstrap_test])
def test_differences_that_do_not_vary_give_a_reason(test: Test) -> None:
    found = test(scores(0.3, 0.4, 0.8), scores(0.1, 0.2, 0.6))  # .2 each, but for the last bit
    assert found.reason == "every difference is the same: nothing varies"
    assert found.difference == pytest.approx(0.2)


def test_effects_without_variance_give_a_reason() -> None:
    for effect in (d_z, cohens_d, hedges_g):
        assert effect(scores(0.4), scores(0.3)).reason == "fewer than two topics"
    assert d_z(scores(0.3, 0.4), scores(0.1, 0.2)).value is None
    assert d_z(scores(0.3, 0.4), scores(0.3, 0.4)).value == 0
    assert hedges_g(scores(0.5, 0.5), scores(0.2, 0.2)).reason == "neither system's scores vary"


def test_too_few_topics_give_no_randomisation_interval() -> None:
    assert randomisation_test(scores(0.5, 0.6, 0.7), scores(0.1, 0.3, 0.2)).interval is None


@pytest.mark.parametrize("test", TESTS)
def test_bad_scores_are_refused(test: Test) -> None:
    with pytest.raises(ValueError, match="same topics"):
        test(scores(1, 2), scores(1, 2, 3))
    with pytest.raises(ValueError, match="finite"):
        test(scores(1, float("nan")), scores(1, 2))


def test_a_level_is_between_0_and_1() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        paired_t_test(A, B, level=95)


# Against a baseline


def test_systems_against_a_baseline_are_corrected_for_their_number() -> None:
    rows = against_baseline(SCORES, baseline=0)
    assert [row.system for row in rows] == [1, 2]
    raw = [paired_t_test(SCORES[:, column], A).p for column in (1, 2)]
    assert [row.test.p for row in rows] == raw
    assert [row.corrected for row in rows] == pytest.approx(multipletests(raw, method="holm")[1])
    assert {(row.correction, row.comparisons) for row in rows} == {("Holm", 2)}
    assert (rows[0].wins, rows[0].losses, rows[0].ties) == (5, 10, 5)
    assert rows[0].effect.value == pytest.approx(-0.473, abs=5e-4)
    assert [row.system for row in against_baseline(SCORES, baseline=-1)] == [0, 1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_false_discovery_rate_is_scipys(p: list[float]) -> None:
    assert benjamini_hochberg(p).p == pytest.approx(stats.false_discovery_control(p).tolist())


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=40).filter(any))
def test_signs_are_scipys(differences: list[int]) -> None:
    first = np.array(differences, dtype=float)
    wins, losses = int((first > 0).sum()), int((first < 0).sum())
    assert sign_test(first, 0 * first).p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


def test_thousands_of_topics_are_drawn_less_often_and_the_answer_says_so() -> None:
    differences = np.random.default_rng(4).normal(0.004, 0.2, 6_980)
    found = randomisation_test(differences, 0 * differences)
    assert found.draws == 10_000
    assert found.p == pytest.approx(paired_t_test(differences, 0 * differences).p, abs=0.02)


@pytest.mark.parametrize(
    ("module", "drawing", "name", "test"),
    [
        (resampling, "_some_subsets", "randomisation", randomisation_test),
        (resampling, "_resampled", "bootstrap", paired_bootstrap_test),
    ],
)
def test_several_systems_share_the_draws_and_get_the_answers_they_get_alone(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, drawing: str, name: str, test: Test
) -> None:
    values = np.column_stack([SCORES, SCORES[:, 0] + 0.1, SCORES[:, 0]])  # two have no p
    alone = [test(values[:, system], values[:, 0]) for system in range(1, 5)]
    draw = Mock(wraps=getattr(module, drawing))
    monkeypatch.setattr(module, drawing, draw)
    together = [row.test for row in against_baseline(values, 0, name)]
    assert draw.call_count == 1
    for one, other in zip(together, alone, strict=True):
        assert (one.p, one.reason, one.draws, one.seed) == (other.p, other.reason, other.draws, other.seed)
        assert one.statistic == pytest.approx(other.statistic)
        assert one.interval == pytest.approx(other.interval)

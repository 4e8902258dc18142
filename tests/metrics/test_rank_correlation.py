"""Rank correlation: published values, scipy, and plain loops over every way to break ties."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from metrics.rankings.many_rankings import compare_rankings
from metrics.rankings.rank_correlation import (
    Correlation,
    kendall_tau_a,
    kendall_tau_b,
    rank_biased_overlap,
    tau_and_tau_ap_a,
    tau_ap_a,
    tau_ap_b,
)
from metrics.rankings.rank_overlap import average_overlap, rbo_of_lists, weight_of_top
from metrics.rankings.ranking import levelled, ranks, tie_places
from pooling.arrays import Vector

FUNCTIONS = [kendall_tau_a, kendall_tau_b, tau_ap_a, tau_ap_b, rank_biased_overlap]
SYMMETRIC = [kendall_tau_a, kendall_tau_b, tau_ap_b, rank_biased_overlap]


def scores(*values: float) -> Vector:
    return np.array(values, dtype=np.float64)


def of(order: str) -> Vector:
    """Return the scores of systems 1, 2, 3 … that rank in this order."""
    return scores(*(-order.index(str(system)) for system in range(1, len(order) + 1)))


def value(found: Correlation) -> float:
    assert found.value is not None
    return found.value


def tied(n: int) -> st.SearchStrategy[Vector]:
    """Scores of n systems on a coarse grid: ties abound."""
    return st.lists(st.integers(0, 4), min_size=n, max_size=n).map(lambda each: scores(*each) / 10)


two_rankings = st.integers(2, 7).flatmap(lambda n: st.tuples(tied(n), tied(n)))
untied_rankings = st.integers(2, 9).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
)


def orders(ranking: Vector) -> list[list[int]]:
    """Return every order of the systems, best first, that agrees with the scores."""
    every = permutations(range(len(ranking)))
    return [list(order) for order in every if all(np.diff(ranking[list(order)]) <= 0)]


def plain_tau_ap(truth: list[int], estimate: list[int]) -> float:
    total = 0.0
    for i in range(1, len(estimate)):
        above = [truth.index(other) < truth.index(estimate[i]) for other in estimate[:i]]
        total += sum(above) / i
    return 2 * total / (len(estimate) - 1) - 1


def plain_tau(truth: list[int], estimate: list[int]) -> float:
    n = len(truth)
    signs = [
        1 if truth.index(estimate[i]) < truth.index(estimate[j]) else -1
        for i in range(n)
        for j in range(i + 1, n)
    ]
    return sum(signs) / len(signs)


def plain_rbo(first: list[int], second: list[int], p: float) -> float:
    n = len(first)
    agreement = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, n + 1)]
    return (1 - p) * sum(a * p**d for d, a in enumerate(agreement)) + agreement[-1] * p**n


# Published values


@pytest.mark.parametrize(("estimate", "expected"), [("21345", 0.5), ("12354", 0.875)])
def test_tau_ap_weighs_a_swap_at_the_top_more(estimate: str, expected: float) -> None:
    assert value(tau_ap_a(of("12345"), of(estimate))) == pytest.approx(expected)
    assert value(kendall_tau_a(of("12345"), of(estimate))) == pytest.approx(0.8)
    assert value(kendall_tau_b(of("12345"), of(estimate))) == pytest.approx(0.8)


def test_rbo_of_three_with_the_last_two_swapped() -> None:
    assert value(rank_biased_overlap(of("123"), of("132"), p=0.9)) == pytest.approx(0.955)
    assert rbo_of_lists("abc", "acb", 0.9).extrapolated == pytest.approx(0.955)


def test_average_overlap_of_webber_moffat_and_zobels_two_lists() -> None:
    found = average_overlap("abcdefg", "zcavwxy")
    assert found == pytest.approx([0, 0, 0.222, 0.292, 0.313, 0.317, 0.312], abs=5e-4)


def test_the_top_ten_have_the_weight_that_webber_moffat_and_zobel_give_them() -> None:
    assert weight_of_top(10, 0.9) == pytest.approx(0.86, abs=5e-3)


@pytest.mark.parametrize(("depth", "p"), [(1, 0.5), (3, 0.9), (50, 0.98)])
def test_the_weight_of_the_top_is_what_its_items_add_to_every_agreement(depth: int, p: float) -> None:
    added = [(1 - p) * p ** (d - 1) * min(d, depth) / d for d in range(1, 5000)]
    assert weight_of_top(depth, p) == pytest.approx(sum(added))


# Oracles


@given(two_rankings)
def test_tau_b_is_scipys(pair: tuple[Vector, Vector]) -> None:
    found = kendall_tau_b(*pair)
    if found.value is None:
        assert np.ptp(pair[0]) == 0 or np.ptp(pair[1]) == 0
    else:
        assert found.value == pytest.approx(kendalltau(*pair).statistic)


@settings(max_examples=40)
@given(st.integers(2, 5).flatmap(lambda n: st.tuples(tied(n), tied(n))))
def test_version_a_is_the_mean_over_every_way_to_break_ties(pair: tuple[Vector, Vector]) -> None:
    broken = list(product(orders(pair[0]), orders(pair[1])))
    assert value(kendall_tau_a(*pair)) == pytest.approx(np.mean([plain_tau(*way) for way in broken]))
    assert value(tau_ap_a(*pair)) == pytest.approx(np.mean([plain_tau_ap(*way) for way in broken]))
    expected = np.mean([plain_rbo(*way, 0.8) for way in broken])
    assert value(rank_biased_overlap(*pair, p=0.8)) == pytest.approx(expected)


@given(untied_rankings)
def test_without_ties_the_versions_are_one(pair: tuple[list[int], list[int]]) -> None:
    first, second = scores(*pair[0]), scores(*pair[1])
    assert value(kendall_tau_a(first, second)) == pytest.approx(value(kendall_tau_b(first, second)))
    both = (value(tau_ap_a(first, second)) + value(tau_ap_a(second, first))) / 2
    assert value(tau_ap_b(first, second)) == pytest.approx(both)
    a, b, w = (value(rank_biased_overlap(first, second, 0.7, ties)) for ties in ("a", "b", "w"))
    assert a == pytest.approx(b)
    assert a == pytest.approx(w)
    lists = np.argsort(-first).tolist(), np.argsort(-second).tolist()
    assert a == pytest.approx(rbo_of_lists(*lists, 0.7).extrapolated)


def test_ties_in_rbo_by_hand() -> None:
    first, second = scores(3, 3, 1), scores(3, 2, 1)  # (a b) c against a b c
    # agreement at depths 1, 2, 3: a .5 1 1; b .5 / sqrt(.5) 1 1; w 2 * 1 / (2 + 1) 1 1
    for ties, top in (("a", 0.5), ("b", 0.5**0.5), ("w", 2 / 3)):
        found = rank_biased_overlap(first, second, 0.5, ties)  # type: ignore[arg-type]
        assert value(found) == pytest.approx(0.5 * top + 0.5)


def test_tau_ap_b_by_hand() -> None:
    first, second = scores(3, 2, 2, 1), scores(3, 2, 1, 1)
    # second's systems below its first group: 2 (1 of 1 right), 3 and 4 (3: of 1, 2 one right; 4: both)
    # first's: 2 and 3 (1 of 1 each), 4 (of 1, 2, 3: 1 and 2 right)
    below_second, below_first = 2 * (1 + 1 / 2 + 1) / 3 - 1, 2 * (1 + 1 + 2 / 3) / 3 - 1
    assert value(tau_ap_b(first, second)) == pytest.approx((below_second + below_first) / 2)


# Properties


@given(two_rankings)
def test_symmetric_coefficients_are_symmetric(pair: tuple[Vector, Vector]) -> None:
    for function in SYMMETRIC:
        assert function(*pair).value == pytest.approx(function(*reversed(pair)).value)


@given(two_rankings)
def test_every_coefficient_stays_in_its_range(pair: tuple[Vector, Vector]) -> None:
    for function in FUNCTIONS:
        found = function(*pair)
        assert (found.value is None) == bool(found.reason)
        lowest = 0 if function is rank_biased_overlap else -1
        assert found.value is None or lowest - 1e-12 <= found.value <= 1 + 1e-12


@given(two_rankings, st.randoms(use_true_random=False))
def test_the_order_of_systems_is_irrelevant(pair: tuple[Vector, Vector], random: object) -> None:
    order = list(range(len(pair[0])))
    random.shuffle(order)  # type: ignore[attr-defined]
    for function in FUNCTIONS:
        mixed = function(pair[0][order], pair[1][order])
        assert mixed.value == pytest.approx(function(*pair).value)


@given(st.integers(2, 9).flatmap(lambda n: st.permutations(range(n))))
def test_a_ranking_is_like_itself_and_unlike_its_reverse(order: list[int]) -> None:
    ranking = scores(*order)
    for function in FUNCTIONS:
        assert value(function(ranking, ranking)) == pytest.approx(1)
        if function is not rank_biased_overlap:
            assert value(function(ranking, -ranking)) == pytest.approx(-1)


@given(two_rankings)
def test_with_ties_as_opinions_a_ranking_agrees_with_itself(pair: tuple[Vector, Vector]) -> None:
    for ties in ("b", "w"):
        assert value(rank_biased_overlap(pair[0], pair[0], 0.9, ties)) == pytest.approx(1)


@given(
    st.integers(2, 7).flatmap(lambda n: st.tuples(tied(n), st.lists(tied(n), min_size=1, max_size=6))),
    st.floats(0.1, 0.95),
)
def test_many_rankings_at_once_are_each_one_alone(drawn: tuple[Vector, list[Vector]], p: float) -> None:
    reference, rankings = drawn
    found = compare_rankings(reference, np.array(rankings).T, p)
    for column, ranking in enumerate(rankings):
        assert found.tau_a[column] == pytest.approx(value(kendall_tau_a(reference, ranking)))
        assert found.tau_ap_a[column] == pytest.approx(value(tau_ap_a(reference, ranking)))
        assert found.rbo_a[column] == pytest.approx(value(rank_biased_overlap(reference, ranking, p)))
        assert found.ranks[:, column].tolist() == ranks(ranking).tolist()
    for better, worse in permutations(range(len(reference)), 2):
        swapped = [r[better] < r[worse] for r in rankings if reference[better] > reference[worse]]
        assert found.swaps[better, worse] == sum(swapped)


@given(two_rankings)
def test_both_taus_at_once_are_each_one_alone(pair: tuple[Vector, Vector]) -> None:
    assert tau_and_tau_ap_a(*pair) == (kendall_tau_a(*pair), tau_ap_a(*pair))


def test_three_hundred_systems_are_counted_without_overflow() -> None:
    ranking = np.arange(300.0)
    found = compare_rankings(ranking, np.stack([ranking, -ranking], axis=1))
    assert found.tau_a.tolist() == [1.0, -1.0]
    assert found.tau_ap_a == pytest.approx([1.0, -1.0])
    assert found.ranks[0].tolist() == [300, 1]
    assert found.swaps.sum() == 300 * 299 / 2


# Lists that end

lists_of_letters = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True)


@given(lists_of_letters, lists_of_letters, st.floats(0.3, 0.9), st.randoms(use_true_random=False))
def test_whatever_follows_rbo_stays_within_its_bounds(
    first: list[str], second: list[str], p: float, random: object
) -> None:
    bounds = rbo_of_lists(first, second, p)
    assert bounds.low - 1e-12 <= bounds.extrapolated <= bounds.high + 1e-12
    letters = [f"{letter}{number}" for letter in "xyz" for number in range(60)] + list("abcdefgh")
    longer = []
    for start in (first, second):
        rest = [letter for letter in letters if letter not in start]
        random.shuffle(rest)  # type: ignore[attr-defined]
        longer.append([*start, *rest][:150])
    value = (1 - p) * sum(
        p**d * len(set(longer[0][: d + 1]) & set(longer[1][: d + 1])) / (d + 1) for d in range(150)
    )
    assert bounds.low - 1e-6 <= value <= bounds.high + 1e-6


@given(lists_of_letters, lists_of_letters, st.floats(0.3, 0.9))
def test_the_highest_rbo_is_that_of_lists_that_go_on_with_each_others_rest(
    first: list[str], second: list[str], p: float
) -> None:
    short, long = sorted((first, second), key=len)
    depth = 400
    for_short = [item for item in long if item not in short]
    for_long = [item for item in short if item not in long]
    common = [f"z{number}" for number in range(depth)]
    one, other = [*short, *for_short, *common], [*long, *for_long, *common]
    highest = (1 - p) * sum(
        p**d * len(set(one[: d + 1]) & set(other[: d + 1])) / (d + 1) for d in range(depth)
    )
    assert rbo_of_lists(first, second, p).high == pytest.approx(highest)


@given(lists_of_letters, lists_of_letters, st.floats(0.3, 0.9))
def test_the_lowest_rbo_is_that_of_lists_that_share_nothing_more(
    first: list[str], second: list[str], p: float
) -> None:
    one = [*first, *(f"x{number}" for number in range(400))]
    other = [*second, *(f"y{number}" for number in range(400))]
    lowest = (1 - p) * sum(p**d * len(set(one[: d + 1]) & set(other[: d + 1])) / (d + 1) for d in range(400))
    assert rbo_of_lists(first, second, p).low == pytest.approx(lowest)


# What has no value, and what is refused


def test_what_is_undefined_says_why() -> None:
    for function in FUNCTIONS[:4]:
        assert function(scores(1), scores(2)).reason == "fewer than two systems"
    for function in (kendall_tau_b, tau_ap_b):
        assert function(scores(1, 1, 1), scores(1, 2, 3)).reason == "a ranking has all systems tied"
    assert rank_biased_overlap(scores(), scores()).reason == "no systems"
    assert value(kendall_tau_a(scores(1, 1, 1), scores(1, 2, 3))) == 0


def test_bad_rankings_are_refused() -> None:
    with pytest.raises(ValueError, match="equal length"):
        kendall_tau_a(scores(1, 2), scores(1, 2, 3))
    with pytest.raises(ValueError, match="finite"):
        tau_ap_a(scores(1, 2), scores(1, float("nan")))
    with pytest.raises(ValueError, match="between 0 and 1"):
        rank_biased_overlap(scores(1, 2), scores(1, 2), p=1)
    with pytest.raises(ValueError, match="once in a list"):
        rbo_of_lists("aa", "b")


def test_scores_that_differ_by_rounding_are_tied() -> None:
    assert levelled(scores(0.1 + 0.2, 0.3, 0.2)).tolist() in ([0.3, 0.3, 0.2], [0.1 + 0.2, 0.1 + 0.2, 0.2])
    assert ranks(scores(0.1 + 0.2, 0.3, 0.2)).tolist() == [1, 1, 3]
    assert [each.tolist() for each in tie_places(scores(1, 2, 2))] == [[2, 0, 0], [1, 2, 2]]
    assert value(kendall_tau_b(scores(0.1 + 0.2, 0.3, 0.2), scores(1, 1, 0))) == 1

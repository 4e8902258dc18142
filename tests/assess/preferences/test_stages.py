"""The best documents by preferences: stages, pairs, wins, and grades."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.preferences.stages import (
    best_by_preference,
    candidates,
    pairs_of_stage,
    preference_grades,
    survivors,
)
from metrics.magnitudes.normalised import normalised
from metrics.rankings.transitivity import Transitivity, transitivity
from pooling.refusals import Refused


def named(count: int) -> list[str]:
    return [f"D{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("count", "first_stage", "every"), [(10, 35, 45), (20, 70, 190), (50, 175, 1225), (100, 350, 4950)]
)
def test_the_number_of_pairs(count: int, first_stage: int, every: int) -> None:
    assert len(pairs_of_stage(named(count), seed=1)) == first_stage
    assert len(pairs_of_stage(named(count), seed=1, threshold=count)) == every


@given(count=st.integers(2, 40), pairings=st.integers(1, 9), seed=st.integers(0, 1000))
def test_pairs_are_near_regular(count: int, pairings: int, seed: int) -> None:
    pairs = pairs_of_stage(named(count), seed, threshold=1, pairings=pairings)
    assert pairs == pairs_of_stage(named(count), seed, threshold=1, pairings=pairings)
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    partners = Counter(docno for pair in pairs for docno in pair)
    degree = min(pairings, count - 1)
    assert {partners[docno] - degree for docno in named(count)} <= {0, 1}
    assert len(pairs) == -(-count * degree // 2)


def test_each_document_is_on_each_side() -> None:
    lefts = Counter(left for seed in range(200) for left, _ in pairs_of_stage(named(10), seed))
    assert all(600 < lefts[docno] < 800 for docno in named(10))  # 700 expected, standard deviation 19


def test_candidates_extend_through_ties() -> None:
    grades = {"a": 3, "b": 1, "c": 2, "d": 2, "e": 0, "f": 2}
    assert candidates(grades, 2) == ["a", "c", "d", "f"]
    assert candidates(grades, 9) == ["a", "c", "d", "f", "b"]
    assert candidates({"e": 0}, 5) == []


def test_survivors_won_more_than_half_of_the_pairings() -> None:
    judged = [("a", "b")] * 4 + [("b", "c")] * 3
    assert survivors("abc", judged, 7) == ["a"]
    assert survivors("abc", [("a", "b"), ("b", "c"), ("c", "a")], 2) == ["a", "b", "c"]


@pytest.mark.parametrize("count", [1, 5, 9, 10, 60])
def test_a_consistent_judge_finds_the_best(count: int) -> None:
    order = named(count)
    found = best_by_preference(
        dict.fromkeys(order, 1), lambda left, right: min(left, right, key=order.index), k=3, seed=4
    )
    best = {docno: grade for docno, grade in found.grades.items() if grade > 100}
    assert sorted(best, key=lambda docno: -best[docno]) == order[:3]
    finalists = len({docno for pair in found.stages[-1] for docno in pair}) or 1
    assert max(best.values()) == finalists - 1 + 1 + 100
    assert transitivity(found.stages[-1]).cycles == 0


def test_ties_for_the_last_place_are_all_best() -> None:
    judged = [("a", "b"), ("b", "c"), ("c", "a")]
    assert preference_grades({"a": 2, "b": 1, "c": 1, "d": 0}, "abc", judged, 1) == {
        "a": 103, "b": 103, "c": 103, "d": 0,
    }  # fmt: skip


@given(st.lists(st.sampled_from(list(permutations("abcdef", 2))), max_size=40))
def test_transitivity_is_that_of_a_plain_loop(judged: list[tuple[str, str]]) -> None:
    votes = Counter(judged)
    prefers = {pair for pair in permutations("abcdef", 2) if votes[pair] > votes[pair[::-1]]}
    triples = cycles = 0
    for triple in combinations("abcdef", 3):
        if all({pair, pair[::-1]} & prefers for pair in combinations(triple, 2)):
            triples += 1
            a, b, c = triple
            cycles += {(a, b), (b, c), (c, a)} <= prefers or {(b, a), (c, b), (a, c)} <= prefers
    assert transitivity(judged) == Transitivity(triples, cycles)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_magnitudes_are_above_zero(value: float) -> None:
    with pytest.raises(Refused, match="above 0"):
        normalised({"1": {"a": value}})


@given(
    st.dictionaries(
        st.sampled_from("12"), st.dictionaries(st.sampled_from("abc"), st.floats(0.01, 1000), min_size=1)
    )
)
def test_a_factor_of_a_judge_does_not_change_the_ratios(magnitudes: dict[str, dict[str, float]]) -> None:
    found = normalised(magnitudes)
    for judge, own in magnitudes.items():
        for one, other in permutations(own, 2):
            assert found[judge][one] / found[judge][other] == pytest.approx(own[one] / own[other])

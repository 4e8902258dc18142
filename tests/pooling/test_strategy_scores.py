from __future__ import annotations

import pytest
from hypothesis import given

from pooling.strategies import ASCENDING, DESCENDING, RunRankings
from pooling.strategies.runs import lists_of
from pooling.strategies.scores import (
    borda,
    by_score,
    combmnz,
    combsum,
    rank_biased,
    reciprocal_rank_fusion,
)
from tests.pooling.rankings import some_runs

LISTS = {"r": ["a", "b", "c"], "s": ["b", "a", "d"], "t": ["c"]}


def test_reciprocal_ranks_are_summed_above_sixty() -> None:
    assert reciprocal_rank_fusion(LISTS) == pytest.approx(
        {"a": 1 / 61 + 1 / 62, "b": 1 / 62 + 1 / 61, "c": 1 / 63 + 1 / 61, "d": 1 / 63}
    )


def test_documents_that_a_run_does_not_hold_share_its_leftover_points() -> None:
    # r: 4 3 2, d gets 1. s: b 4, a 3, d 2, c gets 1. t: c 4, the others share 3 + 2 + 1.
    assert borda(LISTS) == {"a": 4 + 3 + 2, "b": 3 + 4 + 2, "c": 2 + 1 + 4, "d": 1 + 2 + 2}


@given(some_runs)
def test_all_points_of_a_borda_count_are_given(runs: list[RunRankings]) -> None:
    lists = lists_of(runs, "1", 100)
    points = borda(lists)
    count = len(points)
    assert sum(points.values()) == len(lists) * count * (count + 1) / 2


def test_rank_biased_weights_are_powers_of_the_patience() -> None:
    # VisualPool computes (1 - p)^(rank - 1), which is the same only at one half.
    assert rank_biased(LISTS, p=0.8) == pytest.approx(
        {"a": 0.2 + 0.16, "b": 0.16 + 0.2, "c": 0.128 + 0.2, "d": 0.128}
    )


def test_scores_are_brought_to_nought_to_one_in_each_run_and_summed() -> None:
    scores = {"r": [30.0, 20.0, 10.0], "s": [0.9, 0.8, 0.4], "t": [7.0]}
    assert combsum(LISTS, scores) == pytest.approx({"a": 1 + 0.8, "b": 0.5 + 1, "c": 0 + 1, "d": 0})
    assert combmnz(LISTS, scores) == pytest.approx({"a": 2 * 1.8, "b": 2 * 1.5, "c": 2 * 1, "d": 0})


def test_a_run_whose_scores_are_all_equal_gives_each_document_one() -> None:
    assert combsum({"r": ["a", "b"]}, {"r": [3.0, 3.0]}) == {"a": 1, "b": 1}


def test_the_widest_and_the_narrowest_scores_are_brought_to_nought_to_one() -> None:
    lists = {"r": ["a", "b"], "s": ["a", "b"]}
    assert combsum(lists, {"r": [1.7e308, -1.7e308], "s": [5e-324, 0.0]}) == {"a": 2, "b": 1}


def test_equal_scores_are_ordered_as_the_tie_rule_says() -> None:
    scores = {"b": 1.0, "a": 1.0, "c": 2.0}
    assert by_score(scores, ASCENDING) == ["c", "a", "b"]
    assert by_score(scores, DESCENDING) == ["c", "b", "a"]


@given(some_runs)
def test_the_order_of_the_runs_decides_no_score(runs: list[RunRankings]) -> None:
    lists = lists_of(runs, "1", 100)
    turned = dict(reversed(list(lists.items())))
    for score in (reciprocal_rank_fusion, rank_biased, borda):
        assert score(lists) == score(turned)

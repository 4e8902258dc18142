from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given

from pooling.arrays import Vector
from pooling.formats.run_order import DESCENDING
from pooling.strategies.build import build_pool
from pooling.strategies.candidates import Candidates, PoolEntry, candidates_of_rankings
from pooling.strategies.fusion import borda, combmnz, combsum, rank_biased, reciprocal_rank_fusion
from pooling.strategies.rankings import RunRankings
from tests.oracles import pools as by_loops
from tests.pooling.rankings import some_runs

Lists = Mapping[str, Sequence[str]]
LISTS = {"r": ["a", "b", "c"], "s": ["b", "a", "d"], "t": ["c"]}
FUSIONS = (reciprocal_rank_fusion, rank_biased, borda)


def by_docno(candidates: Candidates, scores: Vector) -> dict[str, float]:
    docnos = candidates.docnos(candidates.documents.ids)
    return dict(zip((docno.decode() for docno in docnos.tolist()), scores.tolist(), strict=True))


def fused(
    fusion: Callable[[Candidates], Vector], lists: Lists, scores: Mapping[str, Sequence[float]] | None = None
) -> dict[str, float]:
    """Return docno -> score on one topic. lists: tag -> docnos; scores: beside them."""
    runs = [
        RunRankings(tag, {"1": docnos}, scores={"1": (scores or {}).get(tag, ())})
        for tag, docnos in lists.items()
    ]
    candidates = candidates_of_rankings(runs, [100] * len(runs), with_scores=scores is not None)
    return by_docno(candidates, fusion(candidates))


def test_reciprocal_ranks_are_summed_above_sixty() -> None:
    assert fused(reciprocal_rank_fusion, LISTS) == pytest.approx(
        {"a": 1 / 61 + 1 / 62, "b": 1 / 62 + 1 / 61, "c": 1 / 63 + 1 / 61, "d": 1 / 63}
    )


def test_documents_that_a_run_does_not_hold_share_its_leftover_points() -> None:
    # r: 4 3 2, d gets 1. s: b 4, a 3, d 2, c gets 1. t: c 4, the others share 3 + 2 + 1.
    assert fused(borda, LISTS) == {"a": 4 + 3 + 2, "b": 3 + 4 + 2, "c": 2 + 1 + 4, "d": 1 + 2 + 2}


@given(some_runs)
def test_all_points_of_a_borda_count_are_given(runs: list[RunRankings]) -> None:
    lists = {run.tag: run.rankings["1"] for run in runs if "1" in run.rankings}
    points = fused(borda, lists)
    assert sum(points.values()) == len(lists) * len(points) * (len(points) + 1) / 2


@given(some_runs)
def test_scores_are_those_of_loops_over_docnos_to_the_last_bit(runs: list[RunRankings]) -> None:
    lists = {run.tag: run.rankings["1"] for run in runs if "1" in run.rankings}
    scores = {run.tag: run.scores["1"] for run in runs if "1" in run.rankings}
    for fusion in FUSIONS:
        assert fused(fusion, lists) == getattr(by_loops, fusion.__name__)(lists)
    for fusion in (combsum, combmnz):
        assert fused(fusion, lists, scores) == getattr(by_loops, fusion.__name__)(lists, scores)


def test_rank_biased_weights_are_powers_of_the_patience() -> None:
    # VisualPool computes (1 - p)^(rank - 1), which is the same only at one half.
    assert fused(rank_biased, LISTS) == pytest.approx(
        {"a": 0.2 + 0.16, "b": 0.16 + 0.2, "c": 0.128 + 0.2, "d": 0.128}
    )


def test_scores_are_brought_to_nought_to_one_in_each_run_and_summed() -> None:
    scores = {"r": [30.0, 20.0, 10.0], "s": [0.9, 0.8, 0.4], "t": [7.0]}
    assert fused(combsum, LISTS, scores) == pytest.approx({"a": 1 + 0.8, "b": 0.5 + 1, "c": 0 + 1, "d": 0})
    assert fused(combmnz, LISTS, scores) == pytest.approx({"a": 2 * 1.8, "b": 2 * 1.5, "c": 2 * 1, "d": 0})


def test_a_run_whose_scores_are_all_equal_gives_each_document_one() -> None:
    assert fused(combsum, {"r": ["a", "b"]}, {"r": [3.0, 3.0]}) == {"a": 1, "b": 1}


def test_the_widest_and_the_narrowest_scores_are_brought_to_nought_to_one() -> None:
    lists = {"r": ["a", "b"], "s": ["a", "b"]}
    assert fused(combsum, lists, {"r": [1.7e308, -1.7e308], "s": [5e-324, 0.0]}) == {"a": 2, "b": 1}


def test_equal_scores_are_ordered_as_the_tie_rule_says() -> None:
    runs = [RunRankings("r", {"1": ["a"]}), RunRankings("s", {"1": ["b"]})]
    parameters = {"budget": 1, "floor": 0}
    assert build_pool("rrf", runs, parameters) == {"1": {"a": PoolEntry(1, 1)}}
    assert build_pool("rrf", runs, parameters, ties=DESCENDING) == {"1": {"b": PoolEntry(1, 1)}}


@given(some_runs)
def test_the_order_of_the_runs_decides_no_score(runs: list[RunRankings]) -> None:
    lists = {run.tag: run.rankings["1"] for run in runs if "1" in run.rankings}
    turned = dict(reversed(list(lists.items())))
    for fusion in FUSIONS:
        assert fused(fusion, lists) == fused(fusion, turned)

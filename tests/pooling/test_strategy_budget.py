from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.strategies.build import build_pool, simulate_pool
from pooling.strategies.draws import draw_source, shuffle
from pooling.strategies.rankings import RunRankings, topics_of_runs
from pooling.strategies.registry import STRATEGIES
from tests.oracles.contributions import complete_depths
from tests.oracles.pools import depth_pool
from tests.pooling.rankings import relevant, runs_on_one_topic, some_runs

FIXED = [name for name, each in STRATEGIES.items() if not each.live and name not in ("depth", "stratified")]
LIVE = [name for name, each in STRATEGIES.items() if each.live]
floors, budgets = st.integers(0, 4), st.integers(1, 9)


def test_a_draw_is_the_hash_of_what_is_drawn_for() -> None:
    # Pinned, for pools of earlier versions are rebuilt from their seed.
    digest = hashlib.sha256(b"7\x00401\x00BM25\x003").hexdigest()
    assert draw_source(seed=7, topic="401")("BM25", 3) == (int(digest[:14], 16) >> 3) / 2**53
    assert shuffle("abcdef", draw_source(7, "401"), "level", 0) == sorted(
        "abcdef", key=lambda word: hashlib.sha256(b"7\x00401\x00level\x000\x00" + word.encode()).digest()
    )


def test_draws_are_spread_evenly() -> None:
    draw = draw_source(seed=1, topic="1")
    drawn = [draw(number) for number in range(10_000)]
    tenths = [sum(tenth <= 10 * value < tenth + 1 for value in drawn) for tenth in range(10)]
    assert sum(tenths) == 10_000
    assert all(900 < count < 1100 for count in tenths)


def test_a_budget_is_spent_depth_by_depth_and_the_last_depth_at_random() -> None:
    runs = runs_on_one_topic("abx", "cdy", "aez")
    pools = {frozenset(build_pool("take", runs, {"budget": 3, "floor": 0}, seed)["1"]) for seed in range(30)}
    assert pools == {frozenset("ac" + last) for last in "bde"}


@given(some_runs, budgets, st.integers(0, 5))
def test_a_budget_in_depth_order_lies_between_two_depth_pools(
    runs: list[RunRankings], budget: int, seed: int
) -> None:
    pool = build_pool("take", runs, {"budget": budget, "floor": 0}, seed)
    rankings = [run.rankings for run in runs]
    for topic, depth in complete_depths(pool, runs).items():
        assert pool[topic].keys() <= depth_pool(rankings, depth + 1)[topic].keys()
        assert depth == 0 or depth_pool(rankings, depth)[topic].keys() <= pool[topic].keys()


@pytest.mark.parametrize("name", FIXED)
@given(runs=some_runs, floor=floors, budget=budgets)
def test_the_floor_leaves_no_first_document_of_a_run_out(
    name: str, runs: list[RunRankings], floor: int, budget: int
) -> None:
    pool = build_pool(name, runs, {"floor": floor, "budget": budget})
    for run in runs:
        for topic, ranking in run.rankings.items():
            assert set(ranking[:floor]) <= pool.get(topic, {}).keys()


@pytest.mark.parametrize("name", LIVE)
@given(runs=some_runs, relevant=relevant, floor=floors, budget=budgets)
def test_the_floor_of_a_live_order_leaves_no_first_document_of_a_run_unjudged(
    name: str, runs: list[RunRankings], relevant: dict[str, set[str]], floor: int, budget: int
) -> None:
    judged = simulate_pool(name, runs, relevant, {"floor": floor, "budget": budget})
    for run in runs:
        for topic, ranking in run.rankings.items():
            assert set(ranking[:floor]) <= judged.get(topic, {}).keys()


@pytest.mark.parametrize("name", FIXED + LIVE)
@given(runs=some_runs, floor=floors, budget=budgets)
def test_a_budget_is_spent_and_only_the_floor_exceeds_it(
    name: str, runs: list[RunRankings], floor: int, budget: int
) -> None:
    parameters = {"floor": floor, "budget": budget}
    pool = simulate_pool(name, runs, {}, parameters) if name in LIVE else build_pool(name, runs, parameters)
    everything = depth_pool([run.rankings for run in runs], 100)
    for topic in topics_of_runs(runs):
        first = {docno for run in runs for docno in run.rankings.get(topic, ())[:floor]}
        assert len(pool[topic]) == min(max(budget, len(first)), len(everything[topic]))


@pytest.mark.parametrize("name", FIXED)
@given(runs=some_runs, floor=floors, budget=budgets)
def test_a_pool_lies_within_that_of_a_larger_budget(
    name: str, runs: list[RunRankings], floor: int, budget: int
) -> None:
    smaller = build_pool(name, runs, {"floor": floor, "budget": budget})
    larger = build_pool(name, runs, {"floor": floor, "budget": budget + 1})
    assert all(found.items() <= larger[topic].items() for topic, found in smaller.items())


def test_the_rest_behind_the_floor_follows_the_order() -> None:
    runs = runs_on_one_topic("abcz", "xbcz", "ybcz")
    pool = build_pool("rrf", runs, {"floor": 1, "budget": 5})
    assert list(pool["1"])[:3] != ["b", "c", "z"]
    assert set(pool["1"]) == set("axybc")


def test_documents_below_the_deepest_rank_do_not_count() -> None:
    runs = runs_on_one_topic("abz", "cdz", "efz")
    assert "z" not in build_pool("rrf", runs, {"floor": 0, "deepest": 2, "budget": 6})["1"]
    assert "z" in build_pool("rrf", runs, {"floor": 0, "deepest": 3, "budget": 1})["1"]

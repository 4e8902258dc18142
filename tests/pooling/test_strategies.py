from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.run_order import DESCENDING
from pooling.formats.runs import parse_run
from pooling.quality.coverage import size_of
from pooling.strategies.candidates import PoolEntry
from pooling.strategies.rankings import RunRankings, first_of_groups, rank_run
from tests.oracles.contributions import sizes_by_depth
from tests.oracles.pools import depth_pool, merged

ranking = st.lists(st.sampled_from("abcdefghij"), unique=True)
runs = st.lists(st.dictionaries(st.sampled_from(["1", "2"]), ranking), max_size=5)


def test_a_pool_is_the_union_of_the_tops() -> None:
    pool = depth_pool([{"1": ["a", "b", "c"]}, {"1": ["b", "d"], "2": ["x"]}], depth=2)
    assert pool == {
        "1": {"a": PoolEntry(1, 1), "b": PoolEntry(1, 2), "d": PoolEntry(2, 1)},
        "2": {"x": PoolEntry(1, 1)},
    }


def test_a_depth_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, found 0"):
        depth_pool([{"1": ["a"]}], depth=0)


@given(runs, st.integers(1, 9))
def test_a_pool_lies_within_the_next_deeper_one(runs: list[dict[str, list[str]]], depth: int) -> None:
    pool, deeper = depth_pool(runs, depth), depth_pool(runs, depth + 1)
    for topic, found in pool.items():
        assert found.keys() <= deeper[topic].keys()
        assert all(found[docno].best_rank == deeper[topic][docno].best_rank for docno in found)


@given(runs, st.integers(1, 9))
def test_the_contributions_of_the_runs_make_the_pool(runs: list[dict[str, list[str]]], depth: int) -> None:
    whole = {(topic, docno) for topic, found in depth_pool(runs, depth).items() for docno in found}
    alone = {(t, d) for run in runs for t, found in depth_pool([run], depth).items() for d in found}
    assert whole == alone


@given(runs)
def test_one_deep_pool_tells_the_size_of_every_shallower_one(runs: list[dict[str, list[str]]]) -> None:
    deep = depth_pool(runs, 10)
    assert sizes_by_depth(deep, range(1, 11)) == [
        (depth, size_of(depth_pool(runs, depth)).total) for depth in range(1, 11)
    ]


def test_the_size_of_a_pool_is_told_per_topic_and_in_hours() -> None:
    size = size_of(depth_pool([{"1": ["a", "b"], "2": ["c"]}, {"1": ["a"]}], depth=5))
    assert size == (3, 2, 1, 1.5, 2, 2)
    assert size.hours(seconds=1200) == 1
    assert size_of({}) == (0, 0, 0, 0, 0, 0)


def test_a_parsed_run_is_ranked_by_score_and_equal_scores_by_the_tie_rule() -> None:
    run = parse_run(b"7 Q0 b 1 2.0 good\n7 Q0 a 2 2.0 good\n7 Q0 c 3 5.0 good\n9 Q0 a 1 1.0 good\n")
    ascending, descending = rank_run(run), rank_run(run, DESCENDING)
    assert ascending.tag == "good"
    assert ascending.rankings == {"7": ["c", "a", "b"], "9": ["a"]}
    assert descending.rankings == {"7": ["c", "b", "a"], "9": ["a"]}
    assert ascending.scores == descending.scores == {"7": [5.0, 2.0, 2.0], "9": [1.0]}


def test_runs_of_a_group_are_chosen_by_priority_and_then_by_tag() -> None:
    runs = [RunRankings(tag, {}, "g", priority=priority) for tag, priority in (("c", 1), ("b", 2), ("a", 2))]
    assert [run.tag for run in first_of_groups(runs, 2)] == ["c", "a"]
    with pytest.raises(ValueError, match="at least 1 run of each group, found 0"):
        first_of_groups(runs, 0)


@given(runs, runs, st.integers(1, 9))
def test_the_pools_of_two_sets_of_runs_merge_into_the_pool_of_all(
    some: list[dict[str, list[str]]], others: list[dict[str, list[str]]], depth: int
) -> None:
    assert merged([depth_pool(some, depth), depth_pool(others, depth)]) == depth_pool(some + others, depth)

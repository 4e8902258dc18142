from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.quality import size_of, sizes_by_depth
from pooling.strategies import Found, depth_pool, without

ranking = st.lists(st.sampled_from("abcdefghij"), unique=True)
runs = st.lists(st.dictionaries(st.sampled_from(["1", "2"]), ranking), max_size=5)


def test_a_pool_is_the_union_of_the_tops() -> None:
    pool = depth_pool([{"1": ["a", "b", "c"]}, {"1": ["b", "d"], "2": ["x"]}], depth=2)
    assert pool == {
        "1": {"a": Found(1, 1), "b": Found(1, 2), "d": Found(2, 1)},
        "2": {"x": Found(1, 1)},
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


def test_a_residual_pool_leaves_out_what_was_pooled_before_and_topics_that_are_done() -> None:
    pool = depth_pool([{"1": ["a", "b"], "2": ["c"]}], depth=2)
    assert without(pool, {"1": {"a"}, "2": {"c"}}) == {"1": {"b": Found(2, 1)}}


def test_the_size_of_a_pool_is_told_per_topic_and_in_hours() -> None:
    size = size_of(depth_pool([{"1": ["a", "b"], "2": ["c"]}, {"1": ["a"]}], depth=5))
    assert size == (3, 2, 1, 1.5, 2, 2)
    assert size.hours(seconds=1200) == 1
    assert size_of({}) == (0, 0, 0, 0, 0, 0)

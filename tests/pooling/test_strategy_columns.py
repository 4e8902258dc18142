from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.quality import contributions, overlap
from pooling.quality.columns import overlap_columns
from pooling.strategies import RunRankings, depth_pool
from pooling.strategies.columns import RankedIds, depth_columns

TOPICS = ("1", "2", "3")
DOCNOS = "abcdefghij"

rankings = st.dictionaries(
    st.sampled_from(TOPICS), st.lists(st.sampled_from(DOCNOS), unique=True, min_size=1)
)


def stored(run: dict[str, list[str]]) -> RankedIds:
    """Number a run's topics and documents, as stored runs do."""
    topics = np.array([TOPICS.index(topic) for topic in run], dtype=np.int64)
    ids = np.array([DOCNOS.index(docno) for docnos in run.values() for docno in docnos], dtype=np.int32)
    return RankedIds(topics, np.cumsum([0, *map(len, run.values())]), ids)


@given(st.lists(rankings, max_size=6), st.integers(1, 12))
def test_a_pool_of_columns_is_the_pool_of_docnos(runs: list[dict[str, list[str]]], depth: int) -> None:
    columns = depth_columns([stored(run) for run in runs], depth)
    assert columns.pooled(TOPICS, DOCNOS) == depth_pool(runs, depth)


@given(st.lists(rankings, max_size=6), st.integers(1, 12))
def test_an_overlap_of_columns_is_the_overlap_of_contributions(
    rankings: list[dict[str, list[str]]], depth: int
) -> None:
    runs = [RunRankings(str(number), run) for number, run in enumerate(rankings)]
    brought = contributions(depth_pool(rankings, depth), runs, {run.tag: depth for run in runs})
    shared = overlap_columns([stored(run) for run in rankings], depth)
    assert shared.tolist() == overlap(brought).shared.tolist()


def test_a_pool_of_columns_stands_by_topic_and_id() -> None:
    runs = [{"2": ["c", "a"]}, {"2": ["a", "b"], "1": ["d"]}]
    columns = depth_columns([stored(run) for run in runs], depth=2)
    assert [column.tolist() for column in columns] == [[0, 1, 1, 1], [3, 0, 1, 2], [1, 1, 2, 1], [1, 2, 1, 1]]


def test_numbers_that_would_run_into_each_other_are_refused() -> None:
    run = RankedIds(np.array([2**40]), np.array([0, 1]), np.array([2**30], dtype=np.int32))
    with pytest.raises(ValueError, match="63 bits in all, found 73"):
        depth_columns([run], depth=5)
    with pytest.raises(ValueError, match="topic numbers of 20 bits"):
        overlap_columns([run], depth=5)


def test_a_depth_below_one_is_refused_for_columns_too() -> None:
    with pytest.raises(ValueError, match="at least 1, found 0"):
        depth_columns([], depth=0)
    with pytest.raises(ValueError, match="at least 1, found 0"):
        overlap_columns([], depth=0)

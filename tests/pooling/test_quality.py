"""What a pool covers, counted by hand; for any runs see test_brought and test_strategy_columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.quality.contribution import (
    Contribution,
    PooledPostings,
    contribution_table,
    groups_of,
    kinds_of,
    merge_owners,
    postings_in_pool,
    top_documents,
)
from pooling.quality.coverage import complete_depth
from pooling.quality.saturation import levels_of
from pooling.strategies.build import build_pool, candidates_for, reaches
from pooling.strategies.candidates import PoolEntry, pair_keys
from pooling.strategies.rankings import RunRankings
from tests.oracles.contributions import contributions, leave_one_out, overlap, tallied
from tests.oracles.pools import depth_pool
from tests.pooling.rankings import as_columns, some_runs

RUNS = [
    RunRankings("n1", {"1": ["a", "b", "c"]}, "north"),
    RunRankings("n2", {"1": ["b", "d", "a"]}, "north", "manual"),
    RunRankings("s1", {"1": ["a", "e"], "2": ["z"]}, "south"),
]
TOPICS, DOCNOS, COLUMNS = as_columns(RUNS)
POOL = [("1", "a"), ("1", "b"), ("1", "d"), ("1", "e"), ("2", "z")]  # of depth 2
KEYS = pair_keys(
    np.array([TOPICS.index(topic) for topic, _ in POOL]), np.array([DOCNOS.index(docno) for _, docno in POOL])
)


def found() -> PooledPostings:
    """Return what each run brought to the pool. n2 holds a too, but at rank 3, deeper than it was read."""
    return postings_in_pool(KEYS, COLUMNS, [2, 2, 2])


def those(*pairs: tuple[str, str]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([pair in pairs for pair in POOL])


def test_contributions_are_counted_per_run() -> None:
    # a is shared by n1 and s1 as first finders; b was found first by n2.
    assert contribution_table(found()).contributions(those(("1", "a"), ("1", "d"), ("2", "z"))) == [
        Contribution(pooled=2, unique=0, relevant=1, unique_relevant=0, first=0.5),
        Contribution(pooled=2, unique=1, relevant=1, unique_relevant=1, first=2.0),
        Contribution(pooled=3, unique=2, relevant=2, unique_relevant=1, first=2.5),
    ]


def test_what_two_runs_of_a_group_brought_is_unique_to_the_group() -> None:
    names, of_groups = merge_owners(found(), list(groups_of(RUNS).values()))
    owner = contribution_table(of_groups).owner_alone(len(POOL)).tolist()
    assert [names[each] if each >= 0 else "" for each in owner] == ["", "north", "north", "south", "south"]


def test_the_manual_only_and_automatic_only_parts_are_what_one_kind_brought() -> None:
    names, of_kinds = merge_owners(found(), list(kinds_of(RUNS).values()))
    owner = contribution_table(of_kinds).owner_alone(len(POOL)).tolist()
    parts = [names[each] if each >= 0 else "" for each in owner]
    assert parts == ["automatic", "", "manual", "automatic", "automatic"]


def test_without_a_run_the_qrels_lack_what_it_alone_brought() -> None:
    grades = {("1", "a"): 2, ("1", "d"): 1, ("1", "e"): 0, ("9", "x"): 3}
    pool = depth_pool([run.rankings for run in RUNS], 2)
    left = dict(leave_one_out(grades, contributions(pool, RUNS, {"n1": 2, "n2": 2, "s1": 2})))
    assert {who: grades.keys() - rest.keys() for who, rest in left.items()} == {
        "n1": set(), "n2": {("1", "d")}, "s1": {("1", "e")},
    }  # fmt: skip


def test_runs_overlap_in_the_documents_that_both_brought() -> None:
    pool = depth_pool([run.rankings for run in RUNS], 2)
    told = overlap(contributions(pool, RUNS, {"n1": 2, "n2": 2, "s1": 2}))
    assert told.shared == [[2, 1, 1], [1, 2, 0], [1, 0, 3]]


@given(some_runs, st.sampled_from(["depth", "rrf", "take", "stratified"]))
def test_the_contributions_make_the_pool_and_first_finders_share_it(
    runs: list[RunRankings], name: str
) -> None:
    parameters = {"k": 3, "manual_k": 4} if name == "depth" else {}
    parameters |= {"budget": 4, "floor": 1, "deepest": 6} if name in ("rrf", "take") else {}
    pool = build_pool(name, runs, parameters)
    brought = contributions(pool, runs, reaches(name, runs, parameters))
    pairs = {(topic, docno) for topic, found in pool.items() for docno in found}
    assert {pair for ranks in brought.values() for pair in ranks} == pairs
    assert sum(tally.first for tally in tallied(brought).values()) == pytest.approx(len(pairs))
    for topic, docno in pairs:
        ranks = [found[topic, docno] for found in brought.values() if (topic, docno) in found]
        assert pool[topic][docno] == PoolEntry(min(ranks), len(ranks))


def complete(pool: dict[str, set[str]], runs: list[RunRankings]) -> int:
    candidates = candidates_for("depth", runs, {"k": 100})
    return complete_depth(candidates, candidates.among(pool))


def test_a_pool_is_complete_to_the_depth_at_which_a_run_first_lacks_a_document() -> None:
    runs = [RunRankings("r", {"1": list("abcd")}), RunRankings("s", {"1": list("eb")})]
    assert complete({"1": set("abeXd")}, runs) == 2
    assert complete({"1": set("bc")}, runs) == 0
    assert complete({"1": set("abcde")}, runs) == 4
    assert complete({"1": set("abcde")}, [*runs, RunRankings("t", {"2": ["x"]})]) == 0
    assert complete({}, []) == 0


def test_a_pool_is_not_called_complete_below_the_depth_to_which_runs_are_read() -> None:
    runs = [RunRankings("auto", {"1": list("abc")}), RunRankings("hand", {"1": list("xyz")}, kind="manual")]
    candidates = candidates_for("depth", runs, {"k": 1, "manual_k": 3})
    assert complete_depth(candidates, np.ones(4, dtype=bool)) == 1


@given(some_runs, st.integers(1, 13))
def test_a_depth_pool_is_complete_to_its_depth(runs: list[RunRankings], depth: int) -> None:
    candidates = candidates_for("depth", runs, {"k": 13})
    lengths = [
        max(len(run.rankings.get(topic, ())) for run in runs) for _, topic in enumerate(candidates.topics)
    ]
    pool = build_pool("depth", runs, {"k": depth})
    assert complete_depth(candidates, candidates.among(pool)) >= min([depth, *lengths]) * bool(lengths)


def test_the_unjudged_are_counted_over_the_cut_off() -> None:
    tops = top_documents(KEYS, COLUMNS, len(TOPICS), depth=2)
    # s1 has one document of topic 2: as if followed by a judged one.
    assert tops.unjudged(those(("1", "a"), ("1", "d")), k=2).tolist() == [[0.5, 0], [0.5, 0], [0.5, 0.5]]
    assert tops.answered.tolist() == [[True, False], [True, False], [True, True]]


def test_each_depth_tells_what_it_added() -> None:
    best_ranks = np.array([1, 1, 2, 2, 1])
    told = levels_of(best_ranks, those(("1", "a"), ("1", "d"), ("2", "z")))
    assert told == [(1, 3, 2), (2, 2, 1)]

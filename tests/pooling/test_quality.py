from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.quality import (
    Contribution,
    Level,
    by_owner,
    complete_depths,
    contributions,
    groups_of,
    holes,
    kinds_of,
    leave_one_out,
    levels,
    mean_unjudged,
    overlap,
    tallied,
    unique_to,
    unjudged_at,
)
from pooling.strategies import Found, RunRankings, build, depth_pool, reaches
from tests.pooling.rankings import some_runs

RUNS = [
    RunRankings("n1", {"1": ["a", "b", "c"]}, "north"),
    RunRankings("n2", {"1": ["b", "d", "a"]}, "north", "manual"),
    RunRankings("s1", {"1": ["a", "e"], "2": ["z"]}, "south"),
]
POOL = depth_pool([run.rankings for run in RUNS], 2)  # topic 1: a b d e, topic 2: z
REACHES = {"n1": 2, "n2": 2, "s1": 2}
BROUGHT = contributions(POOL, RUNS, REACHES)


def test_a_run_brought_what_it_holds_no_deeper_than_the_pool_reached() -> None:
    # n2 holds a too, but at rank 3.
    assert BROUGHT == {
        "n1": {("1", "a"): 1, ("1", "b"): 2},
        "n2": {("1", "b"): 1, ("1", "d"): 2},
        "s1": {("1", "a"): 1, ("1", "e"): 2, ("2", "z"): 1},
    }


def test_contributions_are_counted_per_run() -> None:
    # a is shared by n1 and s1 as first finders; b was found first by n2.
    assert tallied(BROUGHT, {("1", "a"), ("1", "d"), ("2", "z")}) == {
        "n1": Contribution(pooled=2, unique=0, relevant=1, unique_relevant=0, first=0.5),
        "n2": Contribution(pooled=2, unique=1, relevant=1, unique_relevant=1, first=2.0),
        "s1": Contribution(pooled=3, unique=2, relevant=2, unique_relevant=1, first=2.5),
    }


def test_what_two_runs_of_a_group_brought_is_unique_to_the_group() -> None:
    by_group = by_owner(BROUGHT, groups_of(RUNS))
    assert by_group["north"] == {("1", "a"): 1, ("1", "b"): 1, ("1", "d"): 2}
    assert unique_to(by_group) == {"north": {("1", "b"), ("1", "d")}, "south": {("1", "e"), ("2", "z")}}


def test_the_manual_only_and_automatic_only_parts_are_what_one_kind_brought() -> None:
    assert unique_to(by_owner(BROUGHT, kinds_of(RUNS))) == {
        "automatic": {("1", "a"), ("1", "e"), ("2", "z")},
        "manual": {("1", "d")},
    }


def test_without_a_run_the_qrels_lack_what_it_alone_brought() -> None:
    grades = {("1", "a"): 2, ("1", "d"): 1, ("1", "e"): 0, ("9", "x"): 3}
    left = dict(leave_one_out(grades, BROUGHT))
    assert {who: grades.keys() - rest.keys() for who, rest in left.items()} == {
        "n1": set(), "n2": {("1", "d")}, "s1": {("1", "e")},
    }  # fmt: skip
    assert left["n2"] == {("1", "a"): 2, ("1", "e"): 0, ("9", "x"): 3}


def test_runs_overlap_in_the_documents_that_both_brought() -> None:
    found = overlap(BROUGHT)
    assert found.tags == ("n1", "n2", "s1")
    assert found.shared.tolist() == [[2, 1, 1], [1, 2, 0], [1, 0, 3]]


@given(some_runs, st.sampled_from(["depth", "rrf", "take", "stratified"]))
def test_the_contributions_make_the_pool_and_first_finders_share_it(
    runs: list[RunRankings], name: str
) -> None:
    parameters = {"k": 3, "manual_k": 4} if name == "depth" else {}
    parameters |= {"budget": 4, "floor": 1, "deepest": 6} if name in ("rrf", "take") else {}
    pool = build(name, runs, parameters)
    brought = contributions(pool, runs, reaches(name, runs, parameters))
    pairs = {(topic, docno) for topic, found in pool.items() for docno in found}
    assert {pair for ranks in brought.values() for pair in ranks} == pairs
    assert sum(tally.first for tally in tallied(brought).values()) == pytest.approx(len(pairs))
    for topic, docno in pairs:
        ranks = [found[topic, docno] for found in brought.values() if (topic, docno) in found]
        assert pool[topic][docno] == Found(min(ranks), len(ranks))


@given(some_runs)
def test_leaving_out_groups_of_one_run_is_leaving_out_runs(runs: list[RunRankings]) -> None:
    alone = [RunRankings(run.tag, run.rankings, group=run.tag) for run in runs]
    brought = contributions(depth_pool([run.rankings for run in runs], 3), alone, dict.fromkeys(
        (run.tag for run in runs), 3
    ))  # fmt: skip
    assert by_owner(brought, groups_of(alone)) == brought


@given(some_runs)
def test_an_overlap_counts_as_sets_do(runs: list[RunRankings]) -> None:
    brought = contributions(depth_pool([run.rankings for run in runs], 4), runs, {run.tag: 4 for run in runs})
    assert overlap(brought).shared.tolist() == [
        [len(mine.keys() & yours.keys()) for yours in brought.values()] for mine in brought.values()
    ]


def test_a_pool_is_complete_to_the_depth_at_which_a_run_first_lacks_a_document() -> None:
    runs = [RunRankings("r", {"1": list("abcd"), "2": list("x")}), RunRankings("s", {"1": list("eb")})]
    assert complete_depths({"1": set("abeXd"), "2": set("x")}, runs) == {"1": 2, "2": 1}
    assert complete_depths({"1": set("bc")}, runs) == {"1": 0, "2": 0}
    assert complete_depths({"1": set("abcde"), "2": set("x")}, runs) == {"1": 4, "2": 1}


@given(some_runs, st.integers(1, 13))
def test_a_depth_pool_is_complete_to_its_depth(runs: list[RunRankings], depth: int) -> None:
    for topic, complete in complete_depths(depth_pool([run.rankings for run in runs], depth), runs).items():
        longest = max(len(run.rankings.get(topic, ())) for run in runs)
        assert complete >= min(depth, longest)


def test_the_unjudged_are_counted_over_the_cut_off() -> None:
    judged = {"1": {"a", "d"}, "2": set[str](), "3": {"q"}}
    unjudged = unjudged_at(RUNS, judged, k=2)
    assert unjudged == {
        "n1": {"1": 0.5},
        "n2": {"1": 0.5},
        "s1": {"1": 0.5, "2": 0.5},  # its one document of topic 2, as if followed by a judged one
    }
    assert mean_unjudged(unjudged) == pytest.approx({"n1": 0.5, "n2": 0.5, "s1": 0.5})
    assert mean_unjudged(unjudged_at(RUNS, {"3": {"q"}}, k=2)) == {"n1": 0, "n2": 0, "s1": 0}
    with pytest.raises(ValueError, match="at least 1, found 0"):
        unjudged_at(RUNS, judged, k=0)


@given(some_runs, st.integers(1, 5))
def test_when_the_holes_are_judged_none_is_left(runs: list[RunRankings], k: int) -> None:
    judged = {"1": {"a", "b", "c"}, "2": {"d"}}
    filled = holes(runs, judged, k)
    for topic, found in filled.items():
        assert not found.keys() & judged[topic]
        judged[topic] |= found.keys()
    assert all(share == 0 for shares in unjudged_at(runs, judged, k).values() for share in shares.values())


def test_each_depth_tells_what_it_added() -> None:
    assert levels(POOL, {"1": {"a", "d"}, "2": {"z"}}) == [Level(1, 3, 2), Level(2, 2, 1)]

"""The engine over columns makes the pools that plain loops over docnos make."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.run_order import ASCENDING, TIE_RULES
from pooling.quality.coverage import (
    complete_depth,
    overlap_matrix,
    size_of,
    size_of_selection,
    unjudged_of_selection,
)
from pooling.strategies.build import build_pool, candidates_for, eligible, sample_of, select_candidates
from pooling.strategies.candidates import Candidates, RankedIds, candidates_of
from pooling.strategies.draws import document_draws, draw_source
from pooling.strategies.rankings import RunRankings
from pooling.strategies.registry import STRATEGIES, strategy_of
from pooling.strategies.strata import parse_strata
from tests.oracles import pools as by_loops
from tests.oracles.contributions import complete_depths, contributions, mean_unjudged, overlap, unjudged_at
from tests.oracles.pools import depth_pool, stratified_sample
from tests.pooling import rankings as any_runs

TOPICS = ("1", "2", "3")
DOCNOS = "jcaibhdgfelk"  # their numbers are in no order

rankings = st.dictionaries(
    st.sampled_from(TOPICS), st.lists(st.sampled_from(DOCNOS), unique=True, min_size=1)
)


def stored(run: dict[str, list[str]]) -> RankedIds:
    """Number a run's topics and documents, as stored runs do."""
    topics = np.array([TOPICS.index(topic) for topic in run], dtype=np.int64)
    ids = np.array([DOCNOS.index(docno) for docnos in run.values() for docno in docnos], dtype=np.int32)
    return RankedIds(topics, np.cumsum([0, *map(len, run.values())]), ids)


def candidates(name: str, runs: list[RunRankings], parameters: dict[str, Any]) -> Candidates:
    """Return what a strategy chooses among, as the stored columns of the runs give it."""
    strategy = strategy_of(name)
    values = strategy.checked(parameters)
    read = eligible(runs, values)
    numbered = []
    for run in read:
        scores = [score for topic in run.rankings for score in run.scores[topic]]
        numbered.append(
            stored({topic: list(docnos) for topic, docnos in run.rankings.items()})._replace(
                scores=np.array(scores)
            )
        )
    docnos = np.array([docno.encode() for docno in DOCNOS])
    depths = [strategy.reach(values, run.kind) for run in read]
    return candidates_of(numbered, depths, TOPICS, [run.tag for run in read], lambda ids: docnos[ids])


def no_docnos(ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bytes_]:
    return np.empty(0, dtype="S8")


def parameters_of(name: str, draw: st.DrawFn) -> dict[str, Any]:
    """Draw some parameters of a strategy."""
    small, group = st.integers(1, 9), st.sampled_from([None, 1, 2])
    if name == "depth":
        return {"k": draw(small), "manual_k": draw(st.none() | small), "per_group": draw(group)}
    if name == "stratified":
        strata = draw(st.sampled_from(["1:1 3:0.5 7:0.3", "2:0.5", "1:0 4:0.25 20:0.9"]))
        return {"strata": strata, "per_group": draw(group)}
    deepest = draw(st.integers(4, 12))
    found = {"budget": draw(small), "floor": draw(st.integers(0, 4)), "deepest": deepest}
    return found | {"per_group": draw(group)} | ({"p": draw(st.floats(0, 1))} if name == "rbp" else {})


@pytest.mark.parametrize("name", list(STRATEGIES))
@given(runs=any_runs.some_runs, seed=st.integers(0, 2), ties=st.sampled_from(TIE_RULES), data=st.data())
def test_columns_make_the_same_pool_as_names(
    name: str, runs: list[RunRankings], seed: int, ties: str, data: st.DataObject
) -> None:
    parameters = data.draw(st.composite(lambda draw: parameters_of(name, draw))())
    found = candidates(name, runs, parameters)
    chosen = select_candidates(name, found, parameters, seed, ties)
    pool = by_loops.build(name, runs, parameters, seed, ties)
    assert found.pooled(chosen) == build_pool(name, runs, parameters, seed, ties) == pool
    assert found.among(pool).tolist() == chosen.tolist()
    assert size_of_selection(found, chosen) == size_of(pool)


@given(runs=any_runs.some_runs, seed=st.integers(0, 2))
def test_a_sample_tells_where_documents_fell(runs: list[RunRankings], seed: int) -> None:
    parameters = {"strata": "1:1 3:0.5 7:0.3"}
    strata = parse_strata(parameters["strata"])
    whole = depth_pool([run.rankings for run in runs], 7)
    sample = sample_of(candidates("stratified", runs, parameters), parameters, seed, ASCENDING)
    assert sample == stratified_sample(whole, strata, seed)


@given(runs=any_runs.some_runs, budget=st.integers(1, 9), k=st.integers(1, 12))
def test_a_pool_of_columns_covers_what_the_pool_covers(runs: list[RunRankings], budget: int, k: int) -> None:
    parameters = {"budget": budget, "floor": 0, "deepest": 12}
    found = candidates("take", runs, parameters)
    chosen = select_candidates("take", found, parameters)
    pool = found.pooled(chosen)
    assert complete_depth(found, chosen) == min(complete_depths(pool, runs).values(), default=0)
    by_run = mean_unjudged(unjudged_at(runs, pool, k))
    assert unjudged_of_selection(found, chosen, k) == pytest.approx(fmean(by_run.values()))


def test_documents_are_drawn_by_the_hash_that_draws_names() -> None:
    docnos = ["FT911-1", "cord_uid-ä", "x" * 40]
    column = document_draws(np.array([docno.encode() for docno in docnos]), 7, "401", "stratum", 2)
    assert column.tolist() == [draw_source(7, "401")("stratum", 2, docno) * 2**53 for docno in docnos]


def test_no_runs_offer_no_candidates() -> None:
    found = candidates_of([], [], TOPICS, [], no_docnos)
    assert select_candidates("rrf", found, {}).tolist() == []
    assert (complete_depth(found, np.empty(0, dtype=bool)), size_of_selection(found, np.empty(0, bool))) == (
        0,
        size_of({}),
    )


def test_scores_that_are_read_must_be_there() -> None:
    found = candidates_of([stored({"1": ["a"]})], [5], TOPICS, ["r"], no_docnos)
    with pytest.raises(ValueError, match="a score beside every document"):
        select_candidates("combsum", found, {})
    with pytest.raises(ValueError, match="floor: expected at most 5, as deepest is, found 6"):
        select_candidates("rrf", found, {"floor": 6, "deepest": 5})


@given(runs=any_runs.some_runs, k=st.integers(1, 5), manual_k=st.integers(1, 5))
def test_a_pool_is_complete_no_deeper_than_a_run_is_read(
    runs: list[RunRankings], k: int, manual_k: int
) -> None:
    parameters = {"k": k, "manual_k": manual_k}
    found = candidates_for("depth", runs, parameters)
    told = complete_depth(found, select_candidates("depth", found, parameters))
    depths = complete_depths(build_pool("depth", runs, parameters), runs)
    assert told == min(
        (min([depth, *cut_at(runs, topic, parameters)]) for topic, depth in depths.items()), default=0
    )


def cut_at(runs: list[RunRankings], topic: str, parameters: dict[str, Any]) -> list[int]:
    """Return the depths at which longer lists are cut, of the runs that have the topic."""
    depths = [(parameters["manual_k"] if run.kind == "manual" else parameters["k"], run) for run in runs]
    deepest = max(min(depth, len(run.rankings.get(topic, ()))) for depth, run in depths)
    return [deepest, *(depth for depth, run in depths if len(run.rankings.get(topic, ())) > depth)]


@given(st.lists(rankings, max_size=6), st.integers(1, 12))
def test_an_overlap_of_columns_is_the_overlap_of_contributions(
    rankings: list[dict[str, list[str]]], depth: int
) -> None:
    runs = [RunRankings(str(number), run) for number, run in enumerate(rankings)]
    brought = contributions(depth_pool(rankings, depth), runs, {run.tag: depth for run in runs})
    shared = overlap_matrix([stored(run) for run in rankings], depth)
    assert shared.tolist() == overlap(brought).shared


def test_candidates_stand_by_topic_and_id() -> None:
    runs = [{"2": ["c", "a"]}, {"2": ["a", "b"], "1": ["d"]}]
    found = candidates_of([stored(run) for run in runs], [2, 2], TOPICS, ["r", "s"], no_docnos)
    assert [column.tolist() for column in found.documents] == [
        [0, 1, 1, 1], [6, 1, 2, 4], [1, 1, 1, 2], [1, 1, 2, 1],
    ]  # fmt: skip


def test_numbers_that_would_run_into_each_other_are_refused() -> None:
    run = RankedIds(np.array([2**40]), np.array([0, 1]), np.array([2**30], dtype=np.int32))
    with pytest.raises(ValueError, match="63 bits in all, found 72"):
        candidates_of([run], [5], TOPICS, ["r"], no_docnos)
    with pytest.raises(ValueError, match="topic numbers of 20 bits"):
        overlap_matrix([run], depth=5)
    with pytest.raises(ValueError, match="at least 1, found 0"):
        overlap_matrix([], depth=0)

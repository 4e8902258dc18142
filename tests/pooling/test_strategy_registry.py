from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.manifest import PoolPlan, manifest_of, pool_plan_of
from pooling.strategies.build import build_pool, order_of, reaches
from pooling.strategies.candidates import PoolEntry
from pooling.strategies.rankings import RunRankings
from pooling.strategies.registry import STRATEGIES, strategy_of
from pooling.strategies.strategy import Parameter
from tests.pooling.rankings import runs_on_one_topic, some_runs

NAMES = list(STRATEGIES)
seeds = st.integers(0, 3)


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    strategy = STRATEGIES[name]
    assert strategy.name == name
    assert strategy.title and strategy.meaning and any(map(str.isdigit, strategy.citation))


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_values_that_the_parameters_accept_as_text_too(name: str) -> None:
    for parameter in STRATEGIES[name].parameters:
        text = "" if parameter.default is None else str(parameter.default)
        assert parameter.parse(text) == parameter.default
        assert parameter.meaning


@pytest.mark.parametrize("name", NAMES)
@given(runs=some_runs, seed=seeds)
def test_the_same_seed_makes_the_same_pool_in_whichever_order_the_runs_come(
    name: str, runs: list[RunRankings], seed: int
) -> None:
    parameters = {"budget": 4, "floor": 1} if name not in ("depth", "stratified") else {}
    pool = build_pool(name, runs, parameters, seed)
    assert build_pool(name, random.Random(seed).sample(runs, len(runs)), parameters, seed) == pool


@pytest.mark.parametrize("name", NAMES)
@given(runs=some_runs, seed=seeds)
def test_a_manifest_makes_the_pool_again(name: str, runs: list[RunRankings], seed: int) -> None:
    plan = PoolPlan(name, {"budget": 4, "floor": 1} if name not in ("depth", "stratified") else {}, seed)
    pool = plan.pool(runs)
    written = json.dumps(manifest_of(plan, runs, {run.tag: "" for run in runs}, pool, 0))
    again = pool_plan_of(json.loads(written)).pool(runs)
    assert again == pool
    assert json.dumps(manifest_of(plan, runs, {run.tag: "" for run in runs}, again, 0)) == written


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"budgets": 1}, r"no parameter 'budgets' \(known: budget, floor, deepest, per_group, constant\)"),
        ({"budget": 0}, "budget: expected a whole number from 1 to 100000, found 0"),
        ({"budget": 7.5}, "budget: expected a whole number from 1 to 100000, found 7.5"),
        ({"budget": True}, "budget: expected a whole number from 1 to 100000, found True"),
        ({"budget": None}, "budget: expected a whole number from 1 to 100000, found None"),
        ({"constant": float("nan")}, "constant: expected a number from 0 to 10000, found nan"),
        ({"constant": "60"}, "constant: expected a number from 0 to 10000, found '60'"),
        ({"floor": 30, "deepest": 20}, "floor: expected at most 20, as deepest is, found 30"),
    ],
)  # fmt: skip
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        build_pool("rrf", runs_on_one_topic("ab"), parameters)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7", 7), (" 7 ", 7), ("seven", None), ("7.0", None), ("", None), ("101", None)],
)
def test_a_parameter_is_read_from_text(text: str, expected: int | None) -> None:
    depth = Parameter("k", int, 10, "depth", 1, 100)
    if expected is not None:
        assert depth.parse(text) == expected
    else:
        with pytest.raises(ValueError, match="^k: expected a whole number from 1 to 100, found"):
            depth.parse(text)


@pytest.mark.parametrize(
    ("name", "runs", "options", "expected"),
    [
        ("deep", runs_on_one_topic("ab"), {}, "expected a strategy .depth, take, .*found 'deep'"),
        ("rrf", runs_on_one_topic("ab"), {"ties": "as they come"}, "expected a tie rule"),
        ("rrf", runs_on_one_topic("ab") * 2, {}, "a tag of its own for every run, found 'r0' 2 times"),
        ("combsum", runs_on_one_topic("ab"), {}, "a score beside every document of run r0"),
        ("maxmean", runs_on_one_topic("ab"), {"parameters": {"credit": "all"}}, "played or holders"),
    ],
)
def test_what_no_pool_can_follow_from_is_refused(
    name: str, runs: list[RunRankings], options: dict[str, Any], expected: str
) -> None:
    with pytest.raises(ValueError, match=expected):
        build_pool(name, runs, **({"parameters": {}} | options))


def test_a_static_strategy_has_no_order_by_labels() -> None:
    with pytest.raises(ValueError, match="rrf is not live"):
        order_of("rrf", runs_on_one_topic("ab"), "1", {})


def test_no_runs_make_an_empty_pool() -> None:
    assert {name: build_pool(name, [], {}) for name in NAMES} == dict.fromkeys(NAMES, {})


def test_manual_runs_may_be_pooled_deeper() -> None:
    runs = [
        RunRankings("auto", {"1": list("abc")}),
        RunRankings("hand", {"1": list("bcxyz")}, kind="manual"),
    ]
    pool = build_pool("depth", runs, {"k": 1, "manual_k": 3})
    assert pool == {
        "1": {"a": PoolEntry(1, 1), "b": PoolEntry(1, 1), "c": PoolEntry(2, 1), "x": PoolEntry(3, 1)}
    }
    assert reaches("depth", runs, {"k": 1, "manual_k": 3}) == {"auto": 1, "hand": 3}


@pytest.mark.parametrize("name", NAMES)
def test_of_each_group_the_first_runs_by_priority_are_read(name: str) -> None:
    runs = [
        RunRankings("late", {"1": ["a"]}, "north", priority=2, scores={"1": [1.0]}),
        RunRankings("early", {"1": ["b"]}, "north", priority=1, scores={"1": [1.0]}),
        RunRankings("only", {"1": ["c"]}, "south", priority=3, scores={"1": [1.0]}),
        RunRankings("alone", {"1": ["d"]}, scores={"1": [1.0]}),
        RunRankings("apart", {"1": ["e"]}, scores={"1": [1.0]}),
    ]
    assert build_pool(name, runs, {"per_group": 1})["1"].keys() == set("bcde")
    assert [tag for tag, reach in reaches(name, runs, {"per_group": 1}).items() if reach == 0] == ["late"]


def test_a_strategy_is_found_by_its_name() -> None:
    assert strategy_of("hedge").live and not strategy_of("depth").live

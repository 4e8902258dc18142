"""Every strategy is compared with its definition as loops over docnos."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.run_order import ASCENDING, DESCENDING
from pooling.strategies.build import order_of
from pooling.strategies.draws import draw_source
from pooling.strategies.live_orders import simulate
from pooling.strategies.rankings import RunRankings, lists_of
from pooling.strategies.registry import STRATEGIES
from pooling.strategies.strategy import Strategy
from tests.oracles.live_orders import ORDERS, judged_in_order
from tests.oracles.pools import STATIC
from tests.pooling.rankings import DOCNOS, some_runs

TIES = st.sampled_from([ASCENDING, DESCENDING])


def is_checked(strategy: Strategy) -> bool:
    """Tell whether loops make the pool (`test_candidates` compares them) or the order (compared below)."""
    return strategy.name in (ORDERS if strategy.live else STATIC)


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)
def test_a_strategy_has_a_check_that_is_not_its_own_code(strategy: Strategy) -> None:
    where = "ORDERS of tests/oracles/live_orders.py" if strategy.live else "tests/oracles/pools.py"
    assert is_checked(strategy), f"{strategy.name}: write it as loops over docnos in {where}"


def test_a_strategy_without_a_check_is_found() -> None:
    assert not is_checked(replace(STRATEGIES["rrf"], name="hopeful"))
    assert not is_checked(replace(STRATEGIES["mtf"], name="hopeful"))


def check(
    name: str, runs: list[RunRankings], relevant: set[str], given_values: dict[str, Any], ties: str, seed: int
) -> None:
    """Compare the order of a strategy with the order of the loops."""
    strategy = STRATEGIES[name]
    known = {parameter.name for parameter in strategy.parameters}
    parameters = {key: value for key, value in given_values.items() if key in known}
    order = order_of(name, runs, "1", parameters, seed=seed, ties=ties)
    values = given_values | strategy.checked(parameters) | {"ties": ties}
    lists = lists_of(runs, "1", given_values["deepest"])
    found = judged_in_order(name, lists, order.floor, relevant, values, draw_source(seed, "1"))
    assert simulate(order, relevant) == found


@pytest.mark.parametrize("name", ORDERS)
@given(
    runs=some_runs,
    relevant=st.sets(st.sampled_from(DOCNOS)),
    floor=st.integers(0, 3),
    budget=st.integers(1, 14),
    ties=TIES,
    credit=st.sampled_from(["played", "holders"]),
)
def test_a_live_order_is_that_of_loops_over_docnos(
    name: str, runs: list[RunRankings], relevant: set[str], floor: int, budget: int, ties: str, credit: str
) -> None:
    given_values = {"floor": floor, "budget": budget, "deepest": 9, "credit": credit}
    check(name, runs, relevant, given_values, ties, seed=3)


@pytest.mark.parametrize("credit", ["played", "holders"])
@pytest.mark.parametrize("name", ORDERS)
def test_long_live_orders_are_those_of_loops_over_docnos(name: str, credit: str) -> None:
    chance = random.Random(name)
    docnos = [f"D{number:02}" for number in range(24)]
    for seed in range(12):
        relevant = set(chance.sample(docnos, 9))
        runs = [
            RunRankings(
                f"r{number}",
                {"1": sorted(docnos, key=lambda docno: chance.random() - 0.15 * (docno in relevant))[:14]},
            )
            for number in range(4)
        ]
        given_values = {"floor": seed % 3, "budget": 24, "deepest": 12, "credit": credit}
        check(name, runs, relevant, given_values, ASCENDING, seed)

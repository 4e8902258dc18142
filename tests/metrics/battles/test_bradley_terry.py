"""The Bradley-Terry model against worked numbers, another program and an optimiser."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from metrics.battles.bradley_terry import (
    ALL_WON,
    NO_BATTLES,
    NO_WIN,
    SEPARATED,
    UNCONNECTED,
    BradleyTerry,
    bradley_terry,
    is_defined,
    maximised,
    why_undefined,
    with_ties,
)
from pooling.arrays import Matrix, Vector

from .tables import TIES, WINS, random_tables

TABLES = st.integers(2, 5).flatmap(
    lambda size: arrays(np.float64, (size, size), elements=st.integers(0, 3).map(float))
)


def loss(logs: Vector, halves: Matrix) -> tuple[float, Vector]:
    """Return the negative log likelihood and its gradient, pair by pair."""
    total, gradient = 0.0, np.zeros(len(logs))
    for i in range(len(logs)):
        for j in range(len(logs)):
            if halves[i, j]:
                chance = 1 / (1 + np.exp(logs[j] - logs[i]))
                total -= halves[i, j] * np.log(chance)
                gradient[i] -= halves[i, j] * (1 - chance)
                gradient[j] += halves[i, j] * (1 - chance)
    return total, gradient


def optimum(halves: Matrix) -> Vector:
    """Return log p, with sum 0, by an optimiser."""
    found = minimize(loss, np.zeros(len(halves)), (halves,), jac=True, method="BFGS", options={"gtol": 1e-9})
    logs: Vector = found.x - found.x.mean()
    return logs


def defined(model: BradleyTerry) -> tuple[Vector, Vector, Matrix]:
    assert model.log_strengths is not None and model.errors is not None
    assert model.errors_of_differences is not None
    return model.log_strengths, model.errors, model.errors_of_differences


def test_the_worked_example() -> None:
    model = bradley_terry(WINS, TIES)
    logs, errors, of_differences = defined(model)
    assert model.strengths == pytest.approx([1.89312, 0.94094, 0.56138], abs=5e-6)
    assert logs == pytest.approx([0.63823, -0.06088, -0.57735], abs=5e-6)
    assert model.elo == pytest.approx([1110.87, 989.42, 899.70], abs=5e-3)
    assert model.win_rates == pytest.approx([0.7174, 0.4792, 0.3043], abs=5e-5)
    assert model.probabilities is not None
    assert model.probabilities[0, 1] == pytest.approx(0.6680, abs=5e-5)
    assert errors == pytest.approx([0.3119, 0.2851, 0.3075], abs=5e-5)
    assert of_differences[0, 1] == pytest.approx(0.5124, abs=5e-5)
    assert logs.sum() == pytest.approx(0) and not model.has_prior


def agree_with_an_optimiser(seed: int) -> bool:
    """Compare one random table; return whether it has strengths."""
    halves = with_ties(*random_tables(np.random.default_rng(seed)))
    model = bradley_terry(halves)
    if model.log_strengths is None:
        return False
    assert model.log_strengths == pytest.approx(optimum(halves), abs=2e-4)
    assert loss(model.log_strengths, halves)[0] <= loss(optimum(halves), halves)[0] + 1e-9
    assert np.abs(loss(model.log_strengths, halves)[1]).max() < 1e-7
    return True


def test_strengths_are_those_of_an_optimiser() -> None:
    assert sum(agree_with_an_optimiser(seed) for seed in range(100)) > 70


@pytest.mark.slow
def test_strengths_of_a_thousand_tables_are_those_of_an_optimiser() -> None:
    assert sum(agree_with_an_optimiser(seed) for seed in range(1000)) > 700


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6])
def test_strengths_and_errors_are_those_of_a_logistic_regression(seed: int) -> None:
    """Of +1 for the first system and -1 for the other; the last system is left out."""
    halves = with_ties(*(random_tables(np.random.default_rng(100 + seed)) if seed else (WINS, TIES)))
    model = bradley_terry(halves)
    pairs = [
        (i, j) for i in range(len(halves)) for j in range(i + 1, len(halves)) if halves[i, j] + halves[j, i]
    ]
    design = np.array([np.eye(len(halves))[i] - np.eye(len(halves))[j] for i, j in pairs])[:, :-1]
    outcomes = np.array([[halves[i, j], halves[j, i]] for i, j in pairs])
    theirs = sm.GLM(outcomes, design, family=sm.families.Binomial()).fit(tol=1e-12)
    logs, _, of_differences = defined(model)
    assert logs[:-1] - logs[-1] == pytest.approx(theirs.params, abs=1e-6)
    assert of_differences[:-1, -1] == pytest.approx(theirs.bse, rel=1e-5)


@pytest.mark.parametrize(
    ("wins", "reason", "about"),
    [
        ([[0, 0], [0, 0]], NO_BATTLES, ()),
        ([[0, 0, 0], [0, 0, 1], [0, 1, 0]], UNCONNECTED, (0,)),
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], UNCONNECTED, (0, 1)),
        ([[0, 2, 2], [0, 0, 1], [0, 1, 0]], ALL_WON, (0,)),
        ([[0, 1, 2], [1, 0, 1], [0, 0, 0]], NO_WIN, (2,)),
        ([[0, 1, 2, 0], [1, 0, 0, 1], [0, 0, 0, 1], [0, 0, 2, 0]], SEPARATED, (0, 1)),
    ],
)
def test_undefined_strengths_have_a_reason(
    wins: list[list[int]], reason: str, about: tuple[int, ...]
) -> None:
    model = bradley_terry(np.array(wins))
    assert (model.reason, model.about) == (reason, about)
    assert (
        model.strengths is model.log_strengths is model.elo is model.probabilities is model.covariance is None
    )
    assert model.errors is None and model.errors_of_differences is None
    with_prior = bradley_terry(np.array(wins), prior=True)
    assert with_prior.has_prior and bool(with_prior.reason) == (reason == NO_BATTLES)


def test_ties_connect_systems_and_are_half_a_win() -> None:
    one_win = np.array([[0, 1], [0, 0]])
    assert bradley_terry(one_win).reason == NO_WIN
    model = bradley_terry(one_win, np.array([[0, 1], [1, 0]]))
    assert model.probabilities is not None and model.probabilities[0, 1] == pytest.approx(0.75)
    assert model.wins.tolist() == [1.5, 0.5] and model.battles.tolist() == [2, 2]


def test_the_prior_is_half_a_win_each_way_against_a_dummy() -> None:
    halves = np.array([[0.0, 5, 2], [0, 0, 1], [0, 2, 0]])
    table = np.full((4, 4), 0.5)
    table[:3, :3] = halves
    np.fill_diagonal(table, 0)
    logs = optimum(table)[:3]
    model = bradley_terry(halves, prior=True)
    assert model.log_strengths == pytest.approx(logs - logs.mean(), abs=1e-5)
    assert model.wins.tolist() == [7, 1, 2]
    whole = bradley_terry(table)
    assert model.errors_of_differences == pytest.approx(defined(whole)[2][:3, :3])


def test_a_system_without_battles_is_in_the_middle_with_a_prior() -> None:
    model = bradley_terry(np.array([[0, 3, 0], [3, 0, 0], [0, 0, 0]]), prior=True)
    assert model.strengths == pytest.approx([1, 1, 1])
    assert np.isnan(model.win_rates[2])


@given(TABLES)
def test_strengths_exist_where_each_part_has_a_win_against_the_rest(halves: Matrix) -> None:
    np.fill_diagonal(halves, 0)
    systems = len(halves)
    parts = [
        np.array([number >> place & 1 for place in range(systems)], dtype=bool)
        for number in range(1, 2**systems - 1)
    ]
    expected = all(halves[part][:, ~part].any() for part in parts)
    assert (why_undefined(halves)[0] == "") == expected
    assert is_defined(np.array([halves, np.zeros_like(halves)])).tolist() == [expected, False]
    assert (bradley_terry(halves).strengths is not None) == expected


@given(TABLES)
def test_names_and_multiples_do_not_change_strengths(halves: Matrix) -> None:
    np.fill_diagonal(halves, 0)
    model = bradley_terry(halves)
    if model.log_strengths is None:
        return
    order = np.arange(len(halves))[::-1]
    turned, twice = bradley_terry(halves[np.ix_(order, order)]), bradley_terry(2 * halves)
    lost = bradley_terry(halves.T)
    assert turned.log_strengths == pytest.approx(model.log_strengths[order], abs=1e-8)
    assert twice.log_strengths == pytest.approx(model.log_strengths, abs=1e-8)
    assert lost.log_strengths == pytest.approx(-model.log_strengths, abs=1e-8)
    assert defined(twice)[1] == pytest.approx(defined(model)[1] / 2**0.5, rel=1e-6)


def test_strengths_that_rounds_find_slowly_are_found() -> None:
    """A chain of systems in which the weaker one wins once in a thousand: rounds would need millions."""
    systems = 12
    halves = np.diag(np.full(systems - 1, 999.0), 1) + np.diag(np.ones(systems - 1), -1)
    model = bradley_terry(halves)
    assert model.log_strengths is not None
    assert -np.diff(model.log_strengths) == pytest.approx(np.log(999))


def test_many_tables_at_once_have_the_strengths_of_each_alone() -> None:
    rng = np.random.default_rng(5)
    halves = rng.poisson(2, (200, 5, 5)) * (1 - np.eye(5))
    halves = halves[is_defined(halves)]
    strengths, found = maximised(halves, np.ones(5), 1e-10)
    assert found.all() and len(halves) > 100
    for table, own in zip(halves, strengths, strict=True):
        assert own == pytest.approx(bradley_terry(table).strengths, rel=1e-7)
    assert maximised(halves[:0], np.ones(5))[0].shape == (0, 5)


@pytest.mark.parametrize(
    ("wins", "ties", "message"),
    [
        ([[0, 1]], None, r"expected tables of shape \(systems, systems\)"),
        ([[0, 1], [1, 0]], [[0]], "expected tables of shape"),
        ([[0, -1], [1, 0]], None, "0 or more"),
        ([[0, np.nan], [1, 0]], None, "expected finite numbers"),
        ([[1, 1], [1, 0]], None, "no battles of a system against itself"),
        ([[0, 1], [1, 0]], [[0, 1], [2, 0]], "same number of ties of a pair in both directions"),
    ],
)
def test_bad_tables_are_refused(
    wins: list[list[float]], ties: list[list[float]] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bradley_terry(np.array(wins), None if ties is None else np.array(ties))

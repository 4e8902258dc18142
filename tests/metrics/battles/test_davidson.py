"""Davidson's model against worked numbers, another program and an optimiser."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize

from metrics.battles.bradley_terry import NO_BATTLES, NO_WIN, UNCONNECTED, bradley_terry
from metrics.battles.davidson import ALL_TIES, SEPARATED, Davidson, davidson
from pooling.arrays import Matrix, Vector

from .tables import TIES, WINS, random_tables


def loss(parameters: Vector, wins: Matrix, ties: Matrix) -> float:
    """Return the negative log likelihood, as the model is written. parameters: log p, then log nu."""
    strengths, nu, total = np.exp(parameters[:-1]), np.exp(parameters[-1]), 0.0
    for i in range(len(wins)):
        for j in range(i):
            tie = nu * np.sqrt(strengths[i] * strengths[j])
            whole = strengths[i] + strengths[j] + tie
            for count, part in (
                (wins[i, j], strengths[i]),
                (wins[j, i], strengths[j]),
                (ties[i, j], tie),
            ):
                total -= count * (np.log(part) - np.log(whole)) if count else 0
    return total


def defined(model: Davidson) -> tuple[Vector, float, float]:
    assert model.log_strengths is not None and model.nu is not None
    assert model.negative_log_likelihood is not None
    return model.log_strengths, model.nu, model.negative_log_likelihood


def test_the_worked_example() -> None:
    logs, nu, negative_log_likelihood = defined(davidson(WINS, TIES))
    assert logs == pytest.approx([0.79458, -0.07591, -0.71867], abs=5e-6)
    assert nu == pytest.approx(0.47064, abs=5e-6)
    assert negative_log_likelihood == pytest.approx(32.72217, abs=5e-6)


def agree_with_an_optimiser(seed: int) -> bool:
    """Compare one random table; return whether it has strengths and ties."""
    wins, ties = random_tables(np.random.default_rng(seed))
    model = davidson(wins, ties)
    if model.log_strengths is None or not model.nu:
        return False
    mine = np.append(model.log_strengths, np.log(model.nu))
    found = minimize(loss, np.zeros(len(mine)), (wins, ties), method="BFGS", options={"gtol": 1e-6})
    theirs = np.append(found.x[:-1] - found.x[:-1].mean(), found.x[-1])
    assert mine == pytest.approx(theirs, abs=2e-3)
    assert model.negative_log_likelihood == pytest.approx(loss(mine, wins, ties))
    assert model.negative_log_likelihood <= found.fun + 1e-8
    return True


def test_strengths_are_those_of_an_optimiser() -> None:
    assert sum(agree_with_an_optimiser(seed) for seed in range(50)) > 20


@pytest.mark.slow
def test_strengths_of_a_thousand_tables_are_those_of_an_optimiser() -> None:
    assert sum(agree_with_an_optimiser(seed) for seed in range(1000)) > 450


def test_strengths_are_those_of_a_log_linear_model() -> None:
    """Counts of outcomes are Poisson, with a mean for each pair (Fienberg & Larntz 1976)."""
    rows, counts = [], []
    for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        for count, values in (
            (WINS[i, j], {i: 1.0}),
            (WINS[j, i], {j: 1.0}),
            (TIES[i, j], {i: 0.5, j: 0.5, 3: 1.0}),
        ):
            row = np.zeros(7)  # three systems, log nu, three pairs
            row[[*values]] = [*values.values()]
            row[4 + pair] = 1
            rows.append(row)
            counts.append(count)
    design = np.delete(np.array(rows), 2, axis=1)  # the last system has log p = 0
    theirs = sm.GLM(np.array(counts), design, family=sm.families.Poisson()).fit(tol=1e-12).params
    logs, nu, _ = defined(davidson(WINS, TIES))
    assert [*(logs[:2] - logs[2]), np.log(nu)] == pytest.approx(theirs[:3], abs=1e-6)


def test_the_probabilities_of_a_battle_add_up() -> None:
    model = davidson(WINS, TIES)
    assert model.probabilities is not None and model.strengths is not None and model.nu is not None
    win, tie = model.probabilities
    assert win + win.T + tie == pytest.approx(np.ones((3, 3)))
    assert tie[0, 0] == pytest.approx(model.nu / (2 + model.nu))
    assert win[0, 1] / win[1, 0] == pytest.approx(model.strengths[0] / model.strengths[1])
    battles = WINS + WINS.T + TIES  # in the mean, as many ties and as large scores as observed
    assert (battles * tie).sum() == pytest.approx(TIES.sum())
    assert (battles * (win + tie / 2)).sum(axis=1) == pytest.approx((WINS + TIES / 2).sum(axis=1))


def test_without_ties_it_is_the_model_of_bradley_and_terry() -> None:
    logs, nu, negative_log_likelihood = defined(davidson(WINS, 0 * TIES))
    assert nu == 0 and logs == pytest.approx(bradley_terry(WINS).log_strengths)
    assert negative_log_likelihood == pytest.approx(loss(np.append(logs, -50), WINS, 0 * TIES))


ONE_TIE = [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("wins", "ties", "reason"),
    [
        ([[0, 0], [0, 0]], [[0, 0], [0, 0]], NO_BATTLES),
        ([[0, 0], [0, 0]], [[0, 3], [3, 0]], ALL_TIES),
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]], UNCONNECTED),
        ([[0, 2], [0, 0]], [[0, 0], [0, 0]], NO_WIN),
        ([[0, 2], [0, 0]], [[0, 1], [1, 0]], SEPARATED),
        ([[0, 2, 0], [0, 0, 0], [0, 0, 0]], ONE_TIE, SEPARATED),
    ],
)
def test_undefined_strengths_have_a_reason(wins: list[list[int]], ties: list[list[int]], reason: str) -> None:
    model = davidson(np.array(wins), np.array(ties))
    assert model.reason == reason and model.probabilities is None
    assert model.strengths is None and model.log_strengths is None
    assert model.nu is None and model.negative_log_likelihood is None


def test_where_strengths_are_undefined_the_likelihood_grows_for_ever() -> None:
    """An optimiser goes on to more extreme strengths, and gains."""
    seen = 0
    for seed in range(150):
        wins, ties = random_tables(np.random.default_rng(seed))
        if davidson(wins, ties).reason != SEPARATED:
            continue
        seen += 1
        near, far = (
            minimize(
                loss, np.zeros(len(wins) + 1), (wins, ties), bounds=[(-most, most)] * (len(wins) + 1)
            ).fun
            for most in (5, 10)
        )
        assert far < near - 1e-6
        if seen == 3:
            return
    raise AssertionError("too few tables without strengths")

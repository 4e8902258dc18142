"""Simulated campaigns of battles, whose true strengths are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metrics.battles.bradley_terry import bradley_terry
from metrics.battles.votes import WinTables
from pooling.arrays import Matrix, Vector

TIE_SHARE, TOPIC_SPREAD = 0.2, 0.5  # spread: standard deviation of a system's log strength over topics


def logistic(values: Matrix) -> Matrix:
    chances: Matrix = 1 / (1 + np.exp(-values))
    return chances


def campaign(logs: Vector, topics: int, per_topic: int, rng: np.random.Generator) -> WinTables:
    """Draw a campaign. logs: log strengths in the mean of all topics. Pairs meet equally often."""
    systems = len(logs)
    pairs = np.array([(one, other) for one in range(systems) for other in range(one)])
    rounds = -(-topics * per_topic // len(pairs))
    met = np.concatenate([rng.permutation(pairs) for _ in range(rounds)])[: topics * per_topic]
    topic = np.repeat(np.arange(topics), per_topic)
    own = logs + TOPIC_SPREAD * rng.standard_normal((topics, systems))
    first, second = met.T
    is_win = rng.random(len(met)) < logistic(own[topic, first] - own[topic, second])
    is_tie = rng.random(len(met)) < TIE_SHARE
    wins, ties = np.zeros((2, topics, systems, systems))
    winner, loser = np.where(is_win, first, second), np.where(is_win, second, first)
    np.add.at(wins, (topic[~is_tie], winner[~is_tie], loser[~is_tie]), 1)
    np.add.at(ties, (topic[is_tie], first[is_tie], second[is_tie]), 1)
    names = tuple(f"s{place}" for place in range(systems))
    numbers = tuple(f"{place:04}" for place in range(topics))
    return WinTables(names, numbers, wins, ties + ties.transpose(0, 2, 1))


def true_logs(logs: Vector) -> Vector:
    """Return log p of infinitely many topics, a tie being half a win, with sum 0: by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    gaps = (logs[:, None] - logs)[..., None] + 2**0.5 * TOPIC_SPREAD * nodes
    chances = TIE_SHARE / 2 + (1 - TIE_SHARE) * (logistic(gaps) @ weights / weights.sum())
    np.fill_diagonal(chances, 0)
    model = bradley_terry(chances)
    assert model.log_strengths is not None
    return model.log_strengths


def _two_groups(systems: int) -> Vector:
    logs: Vector = np.where(np.arange(systems) < systems // 2, 0.5, -0.5) - 1e-6 * np.arange(systems)
    return logs


STRENGTHS: dict[str, Callable[[int, np.random.Generator], Vector]] = {
    "equal": lambda systems, rng: np.linspace(0.0, -1e-5, systems).astype(np.float64),
    "two groups": lambda systems, rng: _two_groups(systems),
    "near": lambda systems, rng: np.linspace(0.1, -0.1, systems).astype(np.float64),
    "spaced": lambda systems, rng: np.linspace(0.8, -0.8, systems).astype(np.float64),
    "normal": lambda systems, rng: np.sort(rng.normal(0, 0.5, systems))[::-1],
}
"""Name -> log strengths, best first. The equal ones differ by so little that no campaign could tell."""

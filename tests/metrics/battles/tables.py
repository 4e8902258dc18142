"""Tables of wins and ties for tests."""

from __future__ import annotations

import numpy as np

from pooling.arrays import Matrix

WINS = np.array([[0, 7, 8], [3, 0, 6], [2, 3, 0]], dtype=np.float64)
TIES = np.array([[0, 2, 1], [2, 0, 3], [1, 3, 0]], dtype=np.float64)
"""The worked example of docs/explanation/battles.md."""


def random_tables(rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Return wins and ties of 2 to 7 systems of random strengths, with few or many battles."""
    systems = int(rng.integers(2, 8))
    logs = rng.normal(0, rng.choice([0.2, 1, 2]), systems)
    chance = 1 / (1 + np.exp(logs - logs[:, None]))
    wins = rng.poisson(chance * rng.choice([0.7, 3, 30])).astype(np.float64)
    ties = np.triu(rng.poisson(rng.choice([0, 0.3, 2, 10]), (systems, systems)), 1).astype(np.float64)
    np.fill_diagonal(wins, 0)
    return wins, ties + ties.T

"""Simulated users of an A/B test: heavy-tailed outcomes, and several correlated events of one user."""

from __future__ import annotations

import numpy as np

from metrics.ab_tests.by_user import Rows
from pooling.arrays import IntVector, Vector


def heavy_tailed(random: np.random.Generator, users: int) -> Vector:
    """One value per user: log-normal with sigma 1.2, whose skewness is 11."""
    return random.lognormal(0.0, 1.2, users)


def events(random: np.random.Generator, users: int) -> tuple[IntVector, Vector]:
    """Return the user of each event, and its value: 1 + a geometric number of events, with a common part."""
    counts = random.geometric(0.3, users)
    common = random.lognormal(0.0, 1.0, users)
    user = np.repeat(np.arange(users), counts)
    return user, common[user] * random.exponential(1.0, len(user))


def two_variants(random: np.random.Generator, users: int) -> Rows:
    """The events of so many users of each of two variants, between which there is no difference."""
    user, value = events(random, 2 * users)
    return Rows(["A", "B"], 2 * users, (user >= users).astype(np.int64), user, {"value": value})

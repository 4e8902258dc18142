"""How often the tests of A/B tests raise a false alarm, and how often their intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
import pytest

from metrics.ab_tests.by_user import population_of, sample_of
from metrics.ab_tests.differences import Difference, share_difference, welch
from metrics.ab_tests.outcomes import Outcome, outcome_of
from metrics.ab_tests.sequential import always_valid, mixture_ratio
from tests.metrics.ab_tests.simulated import heavy_tailed, two_variants

Draw = Callable[[np.random.Generator], Difference]
TRUE_MEAN = exp(1.2**2 / 2)


def rates(draw: Draw, truth: float, repeats: int, seed: int) -> tuple[float, float]:
    """Return how often p is at most 0.05, and how often the interval holds the true difference."""
    random = np.random.default_rng(seed)
    found = [draw(random) for _ in range(repeats)]
    alarms = sum(each.p is not None and each.p <= 0.05 for each in found)
    covered = sum(
        each.low is not None and each.high is not None and each.low <= truth <= each.high for each in found
    )
    return alarms / repeats, covered / repeats


def of_heavy_tails(random: np.random.Generator) -> Difference:
    return welch(sample_of(heavy_tailed(random, 1000)), sample_of(heavy_tailed(random, 1000)))


def of_shifted_heavy_tails(random: np.random.Generator) -> Difference:
    """The treated users have twice the value: the variances differ fourfold."""
    return welch(sample_of(heavy_tailed(random, 1500)), sample_of(2 * heavy_tailed(random, 1500)))


def of_events(outcome: Outcome) -> Draw:
    def draw(random: np.random.Generator) -> Difference:
        samples = population_of(two_variants(random, 600), [outcome]).samples[outcome.name]
        return welch(samples["A"], samples["B"])

    return draw


def of_shares(random: np.random.Generator) -> Difference:
    a, b = (sample_of((random.random(400) < 0.1).astype(float)) for _ in "AB")
    return share_difference(a, b)


def of_events_as_if_independent(random: np.random.Generator) -> Difference:
    rows = two_variants(random, 600)
    a, b = (sample_of(rows.columns["value"][rows.variant == place]) for place in (0, 1))
    return welch(a, b)


KINDS: dict[str, Draw] = {
    "heavy tails": of_heavy_tails,
    "sums of correlated events": of_events(outcome_of("value", "sum")),
    "means of correlated events": of_events(outcome_of("value", "mean")),
    "events by the delta method": of_events(outcome_of("value / rows")),
    "shares": of_shares,
}


@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_and_coverage_of_a_few_draws(kind: str) -> None:
    alarms, covered = rates(KINDS[kind], 0.0, 500, seed=11)
    assert 0.025 <= alarms <= 0.08 and 0.92 <= covered <= 0.975  # 500 draws: 0.05 +- 3 errors


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_and_coverage(kind: str) -> None:
    alarms, covered = rates(KINDS[kind], 0.0, 10_000, seed=12)
    assert 0.04 <= alarms <= 0.06
    assert 0.93 <= covered <= 0.97


@pytest.mark.slow
def test_coverage_of_a_difference_with_heavy_tails() -> None:
    _, covered = rates(of_shifted_heavy_tails, TRUE_MEAN, 10_000, seed=13)
    assert 0.93 <= covered <= 0.97


def test_events_as_if_they_were_independent_raise_false_alarms() -> None:
    alarms, _ = rates(of_events_as_if_independent, 0.0, 500, seed=14)
    assert alarms > 0.2


def looks(repeats: int, users: int, seed: int) -> tuple[float, float, float]:
    """Look after every user pair from 100 on, at heavy-tailed outcomes without a difference.

    Return how often the fixed test, and the always-valid one, are ever significant, and how often an
    always-valid interval ever leaves out the truth.
    """
    random = np.random.default_rng(seed)
    n = np.arange(1, users + 1)
    ratio = mixture_ratio() * n / users  # both variants have as many users as planned, at each time
    fixed = anytime = missed = 0
    for _ in range(repeats):
        a, b = heavy_tailed(random, users), heavy_tailed(random, users)
        sums = [(each.cumsum(), (each**2).cumsum()) for each in (a, b)]
        variance = sum((squares - total**2 / n) / np.maximum(n - 1, 1) for total, squares in sums) / n
        z = ((sums[1][0] - sums[0][0]) / n / np.sqrt(np.maximum(variance, 1e-12)))[99:]
        fixed += bool((np.abs(z) > 1.96).any())
        r = ratio[99:]
        p = np.sqrt(1 + r) * np.exp(-(z**2) * r / (2 * (1 + r)))
        half = np.sqrt((1 + r) / r * (2 * np.log(20) + np.log(1 + r)))
        anytime += bool((p <= 0.05).any())
        missed += bool((np.abs(z) > half).any())
        place = int(p.argmin()) + 99
        found = always_valid(
            float(z[place - 99]), 1.0, (int(n[place]), int(n[place])), 2 * users
        )  # the function agrees with the curve
        assert found.p == pytest.approx(min(1.0, float(p.min())))
    return fixed / repeats, anytime / repeats, missed / repeats


def test_looking_after_every_user_keeps_the_error_rate_of_the_sequential_test() -> None:
    fixed, anytime, missed = looks(200, 2000, seed=21)
    assert fixed > 0.25  # the usual test, looked at always
    assert anytime == missed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.slow
def test_coverage_under_continuous_looking() -> None:
    fixed, anytime, missed = looks(3000, 10_000, seed=22)
    assert fixed > 0.35
    assert anytime == missed <= 0.05


def test_the_sequential_test_finds_a_difference_that_is_there() -> None:
    """At the planned end, its interval is 1.55 times as long as the usual one: 0.5 of a deviation is seen."""
    found = always_valid(0.5, 0.1, (200, 200), 400)
    assert found.p is not None and found.p < 0.001
    assert found.low is not None and found.high is not None
    half = (found.high - found.low) / 2
    assert half / (1.96 * 0.1) == pytest.approx(1.55, abs=0.01)

"""A machine that favours some runs is found, and one that does not is rarely accused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from metrics.machine_audits.circularity import Circularity, circularities, circularity
from pooling.arrays import Flags, IntVector
from tests.metrics.shared_data import DATA, needs

from .bias_worlds import (
    World,
    accused,
    by_machine,
    by_people,
    favouring,
    imagined,
    machine_right,
    of_real_judge,
    trec_covid,
)

MOST_ALARMS = 0.07
LABELS = (200, 400, 800)


def audit(rng: np.random.Generator, bias: float, labels: int = 400) -> tuple[IntVector, IntVector, Flags]:
    """Return residuals, human grades and members: the machine rates the members `bias` grades higher."""
    y = rng.choice(4, labels, p=[0.45, 0.28, 0.18, 0.09])
    member = rng.random(labels) < 0.35
    noise = rng.choice([-1, 0, 1], labels, p=[0.2, 0.6, 0.2])
    f = np.clip(y + noise + (member & (rng.random(labels) < bias)), 0, 3)
    return y - f, y, member


def test_a_bias_of_half_a_grade_is_found() -> None:
    rng = np.random.default_rng(1)
    found = [circularity(*audit(rng, bias=0.5), draws=500) for _ in range(200)]
    assert np.mean([each.p is not None and each.p <= 0.05 for each in found]) >= 0.9
    assert 0.3 < np.mean([each.over_rating or 0.0 for each in found]) < 0.5  # the highest grade cannot rise


def test_false_alarms_of_a_fair_machine_are_rare() -> None:
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(400):
        residual, stratum, _ = audit(rng, bias=0)
        groups = {str(group): rng.random(400) < 0.3 for group in range(3)}
        found = circularities(residual, stratum, groups, draws=300)
        alarms += min(each.corrected or 0.0 for each in found.values()) <= 0.05
    assert 0 < alarms / 400 <= 0.05


def alarms(kind: str, labels: int, audits: int) -> float:
    """Return the share of audits of an honest machine that accuse it, whatever the groups are."""
    found = 0
    for seed in range(audits):
        rng = np.random.default_rng(seed)
        world = imagined(kind, rng)
        found += bool(accused(world, machine_right(0.75, world, rng), labels, seed))
    return found / audits


def covid_alarms(world: World, right: float, labels: int, audits: int) -> float:
    machines = (machine_right(right, world, np.random.default_rng(seed)) for seed in range(audits))
    return float(np.mean([bool(accused(world, f, labels, seed)) for seed, f in enumerate(machines)]))


@pytest.mark.parametrize("kind", ["unequal", "two grades"])
def test_better_groups_are_not_taken_for_favoured_ones(kind: str) -> None:
    assert alarms(kind, 400, 300) <= MOST_ALARMS


@needs("trec-covid-round1")
def test_an_honest_machine_is_not_accused_over_real_runs() -> None:
    assert covid_alarms(trec_covid(DATA / "trec-covid-round1"), 0.75, 400, 20) <= MOST_ALARMS


@pytest.mark.parametrize("machine", ["willia-umbrela1", "Olz-exp"])
def test_a_real_machine_is_not_accused_of_favouring_better_groups(machine: str) -> None:
    found = [accused(*of_real_judge(machine, np.random.default_rng(seed)), 400, seed) for seed in range(100)]
    assert np.mean([bool(groups) for groups in found]) <= MOST_ALARMS


def powers(world: World, share: float, labels: int, audits: int) -> tuple[float, float]:
    """Return how often a favoured team is found: by the test, and within machine grades."""
    group, found = max(world.groups, key=lambda name: int(world.groups[name].sum())), np.zeros(2)
    for seed in range(audits):
        rng = np.random.default_rng(seed)
        f = favouring(group, share, machine_right(0.75, world, rng), world, rng)
        found += [group in accused(world, f, labels, seed, strata) for strata in (by_people, by_machine)]
    ours, old = (found / audits).tolist()
    return ours, old


@needs("trec-covid-round1")
def test_a_favoured_team_is_found_at_least_as_often_as_within_machine_grades() -> None:
    ours, old = powers(trec_covid(DATA / "trec-covid-round1"), 0.5, 800, 15)
    assert ours >= max(old, 0.4)


@pytest.mark.slow
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", ["alike", "one better", "unequal", "two grades"])
def test_better_groups_are_not_taken_for_favoured_ones_in_many_audits(kind: str, labels: int) -> None:
    assert alarms(kind, labels, 600) <= MOST_ALARMS


@needs("trec-covid-round1")
@pytest.mark.slow
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("right", [0.9, 0.75, 0.6])
def test_an_honest_machine_is_not_accused_in_many_audits(right: float, labels: int) -> None:
    assert covid_alarms(trec_covid(DATA / "trec-covid-round1"), right, labels, 100) <= MOST_ALARMS


@needs("trec-covid-round1")
@pytest.mark.slow
@pytest.mark.parametrize("labels", [400, 800])
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_favoured_team_is_found_in_many_audits(share: float, labels: int) -> None:
    ours, old = powers(trec_covid(DATA / "trec-covid-round1"), share, labels, 60)
    assert ours >= old


def test_p_of_one_stratum_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    residual, _, member = audit(rng, bias=0.4, labels=60)
    theirs = permutation_test(
        (residual[member], residual[~member]),
        lambda inside, outside, axis: inside.mean(axis=axis) - outside.mean(axis=axis),
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    )
    ours = circularity(residual, np.zeros(60), member, draws=20_000)
    assert ours.over_rating == pytest.approx(-theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.01)


def test_the_statistic_and_p_of_two_strata_by_all_permutations() -> None:
    residual, member = np.array([0, -1, 0, -2, 1, -1, 0, 0.0]), np.array([0, 1, 0, 1, 0, 1, 0, 0], dtype=bool)
    stratum = np.array([0, 0, 0, 0, 1, 1, 1, 1])

    def statistic(inside: Flags) -> float:
        total = 0.0
        for place in (0, 1):
            ours, rest = residual[inside & (stratum == place)], residual[~inside & (stratum == place)]
            total += (ours.mean() - rest.mean()) * len(ours) * len(rest) / (len(ours) + len(rest))
        return total

    found = circularity(residual, stratum, member, draws=20_000)
    assert found.statistic == pytest.approx(statistic(member)) == pytest.approx(-2.5)
    assert found.over_rating == pytest.approx(2.5 / (2 * 2 / 4 + 1 * 3 / 4))
    assert (found.members, found.others) == (3, 5)
    inside = [
        np.isin(np.arange(8), [*pair, one]) for pair in combinations(range(4), 2) for one in range(4, 8)
    ]
    exact = np.mean([abs(statistic(each)) >= 2.5 - 1e-9 for each in inside])
    assert found.p == pytest.approx(exact, abs=0.012)


def test_undefined_tests_have_a_reason_and_do_not_count_for_holm() -> None:
    residual, stratum = [0, -1, 1, 0, -1, 2], [0, 0, 0, 1, 1, 1]
    groups = {"all": [1] * 6, "none": [0] * 6, "one stratum": [0, 0, 0, 1, 1, 1], "some": [1, 0, 0, 1, 0, 0]}
    found = circularities(residual, stratum, groups)
    for name in ("all", "none", "one stratum"):
        assert found[name].p is None and found[name].corrected is None
        assert "no grade of people" in found[name].note
    assert found["some"].corrected == found["some"].p is not None
    same = circularity([1, 1, -1, -1], [0, 0, 1, 1], [1, 0, 1, 0])
    assert same.p is None and "same amount" in same.note
    assert circularity([], [], []).note
    with pytest.raises(ValueError, match="expected 1 strata"):
        circularity([1], [0], [])


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3), st.booleans()), max_size=30), st.integers(0, 9)
)
def test_the_order_of_labels_and_the_other_side_change_nothing(
    rows: list[tuple[int, int, bool]], seed: int
) -> None:
    residual, stratum, member = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    found = circularity(residual, stratum, member, draws=50, seed=seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    again = circularity(residual[order], stratum[order], member[order], draws=50, seed=seed)
    other = circularity(residual, stratum, 1 - member, draws=50, seed=seed)
    assert (found.p is None) == (other.p is None) and (found.p is None) == bool(found.note)
    if isinstance(found, Circularity) and found.statistic is not None and other.statistic is not None:
        assert again[:3] == pytest.approx(found[:3])
        assert other.statistic == pytest.approx(-found.statistic)

"""Ranks of systems by votes, their intervals, and how often these hold the true ranks."""

from __future__ import annotations

import numpy as np
import pytest

from assess.kappa.bootstrap import MIN_TOPICS, Bootstrap
from metrics.battles.bradley_terry import NO_BATTLES, NO_WIN, bradley_terry, with_ties
from metrics.battles.rank_intervals import (
    SELDOM_DEFINED,
    TOO_FEW,
    BattleRanking,
    Intervals,
    rank_systems,
)
from metrics.battles.votes import LEFT, RIGHT, Vote, WinTables, win_tables
from pooling.arrays import Matrix

from .campaigns import STRENGTHS, campaign, true_logs


def simulated(name: str, systems: int, topics: int, per_topic: int, seed: int) -> tuple[Matrix, WinTables]:
    rng = np.random.default_rng(seed)
    logs = STRENGTHS[name](systems, rng)
    return true_logs(logs), campaign(logs, topics, per_topic, rng)


def intervals_of(ranking: BattleRanking) -> Intervals:
    assert ranking.intervals is not None and ranking.ranks is not None and not ranking.no_interval
    return ranking.intervals


def plain_intervals(tables: WinTables, prior: bool, bootstrap: Bootstrap) -> tuple[Matrix, list[list[int]]]:
    """Return the ends of log p and of ranks, one draw at a time."""
    halves = tables.wins + tables.ties / 2
    drawn = []
    for weights in bootstrap.weights(len(halves)):
        model = bradley_terry(np.tensordot(weights, halves, axes=1), prior=prior)
        assert model.log_strengths is not None
        drawn.append(model.log_strengths)
    logs, tail = np.array(drawn), bootstrap.tail(len(halves))
    ends = []
    for own in range(len(tables.systems)):
        better = worse = 0
        for other in range(len(tables.systems)):
            low, high = np.quantile(logs[:, other] - logs[:, own], [tail, 1 - tail])
            better, worse = better + (low > 0), worse + (high < 0)
        ends.append([1 + better, len(tables.systems) - worse])
    return np.quantile(logs, [tail, 1 - tail], axis=0), ends


@pytest.mark.parametrize("prior", [False, True])
def test_intervals_are_those_of_a_plain_loop(prior: bool) -> None:
    _, tables = simulated("spaced", 5, 15, 20, 3)
    bootstrap = Bootstrap(4, 120)
    ranking = rank_systems(tables, prior, bootstrap)
    found = intervals_of(ranking)
    ends, ranks = plain_intervals(tables, prior, bootstrap)
    assert [found.low, found.high] == pytest.approx(ends, abs=1e-6)
    assert [*map(list, zip(found.best.tolist(), found.worst.tolist(), strict=True))] == ranks
    assert found.undefined == 0 and ranking.model.has_prior == prior


def test_a_ranking_has_the_strengths_of_all_topics_and_its_ranks_within_the_intervals() -> None:
    _, tables = simulated("normal", 8, 30, 28, 1)
    ranking = rank_systems(tables)
    found = intervals_of(ranking)
    whole = bradley_terry(tables.wins.sum(axis=0), tables.ties.sum(axis=0))
    assert ranking.model.log_strengths == pytest.approx(whole.log_strengths)
    assert whole.log_strengths is not None and ranking.ranks is not None
    assert ranking.ranks[np.argsort(-whole.log_strengths)].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (found.best <= ranking.ranks).all() and (ranking.ranks <= found.worst).all()
    assert (found.low < whole.log_strengths).all() and (whole.log_strengths < found.high).all()
    assert not (found.better & found.better.T).any()


def test_the_same_seed_gives_the_same_intervals_and_another_one_others() -> None:
    _, tables = simulated("spaced", 5, 15, 20, 3)
    first, again, other = (
        intervals_of(rank_systems(tables, bootstrap=Bootstrap(seed, 200))) for seed in (1, 1, 2)
    )
    assert (first.low == again.low).all() and (first.low != other.low).any()


def test_systems_with_the_same_votes_share_a_rank() -> None:
    votes = [
        Vote(f"{topic}", "ann", *pair, LEFT if (topic + place) % 2 else RIGHT)
        for topic in range(12)
        for place, pair in enumerate([("a", "b"), ("a", "b"), ("a", "c"), ("c", "b"), ("a", "c"), ("b", "c")])
    ]
    ranking = rank_systems(win_tables(votes))
    assert ranking.ranks is not None and ranking.ranks.tolist() == [1, 1, 1]
    found = intervals_of(ranking)
    assert found.best.tolist() == [1, 1, 1] and found.worst.tolist() == [3, 3, 3]


def test_a_system_far_above_all_others_has_one_rank() -> None:
    rng = np.random.default_rng(0)
    ranking = rank_systems(campaign(np.array([2.0, 0, -0.01]), 40, 12, rng))
    found = intervals_of(ranking)
    assert (found.best[0], found.worst[0]) == (1, 1) and found.best[1:].min() == 2


def few_upsets(upsets: int) -> WinTables:
    """Return 20 topics, in so many of which system b once beats system a."""
    votes = [Vote(f"{topic}", "ann", "a", "b", LEFT) for topic in range(20)]
    return win_tables(votes + [Vote(f"{topic}", "bob", "a", "b", RIGHT) for topic in range(upsets)])


def test_draws_without_strengths_use_the_prior_or_are_too_many() -> None:
    """A draw lacks one topic with probability (1 - 1/20)^20 = .36, and three with (1 - 3/20)^20 = .04."""
    seldom = rank_systems(few_upsets(1))
    assert seldom.intervals is None and seldom.no_interval == SELDOM_DEFINED
    assert seldom.ranks is not None and seldom.ranks.tolist() == [1, 2]
    found = intervals_of(rank_systems(few_upsets(3)))
    assert 20 < found.undefined < 60 and np.isfinite(found.high).all()
    with_prior = rank_systems(few_upsets(0), prior=True)
    assert intervals_of(with_prior).undefined == 0
    assert with_prior.model.strengths is not None and with_prior.model.strengths[0] < 10


def test_without_strengths_there_is_the_reason_of_the_model() -> None:
    ranking = rank_systems(few_upsets(0))
    assert (ranking.ranks, ranking.intervals, ranking.no_interval) == (None, None, NO_WIN)
    assert rank_systems(win_tables([], "ab")).no_interval == NO_BATTLES
    assert rank_systems(win_tables([])).no_interval == NO_BATTLES


def test_fewer_topics_than_ten_have_no_intervals() -> None:
    _, tables = simulated("near", 3, MIN_TOPICS - 1, 30, 1)
    ranking = rank_systems(tables)
    assert ranking.ranks is not None and ranking.no_interval == TOO_FEW
    empty = WinTables(
        tables.systems,
        (*tables.topics, "x"),
        *(np.pad(t, ((0, 1), (0, 0), (0, 0))) for t in (tables.wins, tables.ties)),
    )
    assert rank_systems(empty).no_interval == TOO_FEW


def test_the_order_of_systems_does_not_matter() -> None:
    _, tables = simulated("normal", 6, 20, 15, 8)
    order = np.array([3, 0, 5, 1, 4, 2])
    turned = WinTables(
        tuple(tables.systems[place] for place in order),
        tables.topics,
        tables.wins[:, order][:, :, order],
        tables.ties[:, order][:, :, order],
    )
    found, other = (
        intervals_of(rank_systems(each, bootstrap=Bootstrap(0, 200))) for each in (tables, turned)
    )
    assert found.best[order].tolist() == other.best.tolist()
    assert found.low[order] == pytest.approx(other.low, abs=1e-6)


COVERED = {  # systems, topics, battles of a topic, campaigns
    "equal": (8, 30, 28, 300),
    "two groups": (8, 30, 28, 300),
    "equal, fewer": (5, 25, 10, 300),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COVERED)
def test_intervals_hold_the_true_ranks_and_strengths(name: str) -> None:
    """In 93 to 97 % of the cases, for systems that are hard to tell apart (docs/explanation/battles.md)."""
    systems, topics, per_topic, campaigns = COVERED[name]
    of_ranks, of_strengths, true = [], [], np.arange(1, systems + 1)
    for seed in range(campaigns):
        logs, tables = simulated(name.split(",")[0], systems, topics, per_topic, seed)
        found = intervals_of(rank_systems(tables, bootstrap=Bootstrap(seed, 1000)))
        of_ranks.append((found.best <= true) & (true <= found.worst))
        of_strengths.append((found.low <= logs) & (logs <= found.high))
    assert 0.93 <= np.mean(of_ranks) <= 0.97
    assert 0.93 <= np.mean(of_strengths) <= 0.97


def test_simulated_campaigns_have_the_true_strengths() -> None:
    """With very many battles the estimate is the truth that coverage is measured against."""
    logs, tables = simulated("spaced", 4, 4000, 60, 2)
    model = bradley_terry(with_ties(tables.wins.sum(axis=0), tables.ties.sum(axis=0)))
    assert model.log_strengths == pytest.approx(logs, abs=0.03)

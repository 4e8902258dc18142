"""Judges are swapped as a plain loop would, and all possible qrels are drawn."""

from __future__ import annotations

import tracemalloc
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.rankings.judge_swap import JudgeSwap, swap_judges
from metrics.rankings.rank_correlation import kendall_tau_a, rank_biased_overlap, tau_ap_a
from metrics.rankings.ranking import ranks
from pooling.arrays import Flags, Matrix

JUDGES, TOPICS, SYSTEMS = 3, 4, 5


def generated(seed: int, shape: tuple[int, int, int] = (JUDGES, TOPICS, SYSTEMS)) -> tuple[Matrix, Flags]:
    """Scores like P@10's, so that means tie, and who judged what: one judge at least for each topic."""
    rng = np.random.default_rng(seed)
    judged = rng.random(shape[:2]) < 0.7
    judged[rng.integers(shape[0], size=shape[1]), np.arange(shape[1])] = True
    return rng.integers(0, 11, shape) / 10, judged


def every_mean(scores: Matrix, judged: Flags) -> list[Matrix]:
    """Return the systems' means under every possible choice of a judge for each topic."""
    choices = product(*(np.flatnonzero(of_topic).tolist() for of_topic in judged.T))
    return [np.mean([scores[j, t] for t, j in enumerate(choice)], axis=0) for choice in choices]


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_many_draws_come_to_what_every_possible_qrels_gives(seed: int) -> None:
    scores, judged = generated(seed)
    official = scores[0]
    found = swap_judges(scores, judged, official, draws=20_000, seed=seed)
    every = every_mean(scores, judged)
    assert found.possible == len(every)
    reference = official.mean(axis=0)
    for spread, coefficient in (
        (found.tau, kendall_tau_a),
        (found.tau_ap, tau_ap_a),
        (found.rbo, rank_biased_overlap),
    ):
        values = [coefficient(reference, means).value or 0.0 for means in every]
        assert spread.mean == pytest.approx(np.mean(values), abs=0.03)
        assert spread.lowest == pytest.approx(min(values))  # 81 qrels at most, each drawn
        assert spread.highest == pytest.approx(max(values))
    ranked = np.array([ranks(means) for means in every])
    assert found.best.tolist() == ranked.min(axis=0).tolist()
    assert found.worst.tolist() == ranked.max(axis=0).tolist()
    above = ranked[:, :, None] > ranked[:, None, :]
    official_ranks = ranks(reference)
    expected = above.mean(axis=0) * (official_ranks[:, None] < official_ranks[None, :])
    assert found.swaps / found.draws == pytest.approx(expected, abs=0.02)
    pairs = sorted((swap.better, swap.worse) for swap in found.swapped)
    assert pairs == list(zip(*np.nonzero(expected), strict=True))


def test_the_quantiles_are_those_of_the_draws() -> None:
    scores, judged = generated(3, (3, 30, 8))
    found = swap_judges(scores, judged, scores[1], draws=4000, seed=9)
    for spread in (found.tau, found.tau_ap, found.rbo):
        values = [spread.lowest, spread.low, spread.median, spread.high, spread.highest]
        assert None not in values
        assert values == sorted(values, key=lambda value: value or 0.0)
        assert (spread.lowest or 0) <= (spread.mean or 0) <= (spread.highest or 0)
    assert (found.best <= found.low).all()
    assert (found.low <= found.high).all()
    assert (found.high <= found.worst).all()


def test_a_seed_gives_the_same_answer_whatever_the_machine_holds_at_once() -> None:
    scores, judged = generated(1, (3, 20, 6))
    first, again = (swap_judges(scores, judged, scores[0], draws=5000, seed=7) for _ in range(2))
    other = swap_judges(scores, judged, scores[0], draws=5000, seed=8)
    assert (first.seed, first.draws) == (7, 5000)
    assert first.tau == again.tau
    assert (first.swaps == again.swaps).all()
    assert (first.swaps != other.swaps).any()


def test_what_was_not_judged_is_ignored() -> None:
    scores, judged = generated(5)
    official = np.full((TOPICS, SYSTEMS), 0.5)
    blank = np.where(judged[:, :, None], scores, np.nan)
    found, expected = (swap_judges(each, judged, official, draws=200) for each in (blank, scores))
    assert found.tau == expected.tau
    assert (found.best == expected.best).all()


def test_a_topic_without_judges_keeps_its_official_scores() -> None:
    scores = np.zeros((2, 2, 2))
    scores[:, 0] = [[0.2, 0.1], [0.1, 0.2]]
    official = np.array([[0.2, 0.1], [0.9, 0.1]])  # the second topic decides
    found = swap_judges(scores, np.array([[True, False], [True, False]]), official, draws=100)
    assert (found.topics, found.varied, found.possible) == (2, 1, 2)
    assert found.tau.lowest == 1
    assert found.swapped == []


def test_runs_that_are_alike_never_swap() -> None:
    scores = np.repeat(np.random.default_rng(4).random((3, 40, 1)), 33, axis=2)
    scores[:, ::2, 7] = scores[:, 1::2, 7]
    scores[:, 1::2, 7] = scores[:, ::2, 0]
    scores[:, ::2, 7] = scores[:, 1::2, 0]  # the same values in other topics
    complete = np.ones((3, 40), dtype=bool)
    found = swap_judges(scores, complete, scores[0], draws=20_000)
    others = [system for system in range(33) if system != 7]
    assert not found.swaps[np.ix_(others, others)].any()
    single = np.repeat(scores[:1], 3, axis=0)
    assert swap_judges(single, complete, single[0], draws=1000).swapped == []


def test_the_share_of_a_swap_is_that_of_the_qrels_that_turn_it() -> None:
    scores = np.array([[[0.6, 0.5]], [[0.4, 0.5]], [[0.7, 0.1]], [[0.5, 0.5]]])  # one topic, four judges
    found = swap_judges(scores, np.ones((4, 1), dtype=bool), scores[0], draws=10_000)
    (swap,) = found.swapped
    assert (swap.better, swap.worse) == (0, 1)
    assert swap.share == pytest.approx(0.25, abs=0.02)  # a tie is no swap
    assert found.tau.mean == pytest.approx(0.25, abs=0.04)


def test_complete_judges_and_given_qrels_are_alternatives() -> None:
    scores, judged = generated(2)
    judged[0], judged[1, 0] = True, False
    union = np.random.default_rng(1).random((TOPICS, SYSTEMS))
    found = swap_judges(
        scores, judged, scores[0], draws=10, judges=("ann", "bob", "eve"), alternatives={"union": union}
    )
    complete = [name for name, row in zip(("ann", "bob", "eve"), judged, strict=True) if row.all()]
    assert [each.name for each in found.alternatives] == [*complete, "union"]
    ann, last = found.alternatives[0], found.alternatives[-1]
    assert ann.ranks.tolist() == found.ranks.tolist()
    assert last.tau == kendall_tau_a(scores[0].mean(axis=0), union.mean(axis=0))
    assert last.tau_ap == tau_ap_a(scores[0].mean(axis=0), union.mean(axis=0))
    assert last.rbo == rank_biased_overlap(scores[0].mean(axis=0), union.mean(axis=0))


def test_one_system_has_no_correlation_but_a_rank() -> None:
    found = swap_judges(np.ones((2, 3, 1)), np.ones((2, 3), dtype=bool), np.ones((3, 1)), draws=10)
    assert found.tau.reason == found.rbo.reason == "fewer than two systems"
    assert found.tau.mean is None
    assert (found.best.tolist(), found.worst.tolist(), found.swapped) == ([1], [1], [])


def test_what_does_not_fit_is_refused() -> None:
    scores, judged = generated(0)

    def refused(match: str, *arguments: object, **more: object) -> None:
        with pytest.raises(ValueError, match=match):
            swap_judges(*arguments, **more)  # type: ignore[arg-type]

    refused("shapes", scores, judged, scores[0, :2])
    refused("shapes", scores, judged[:2], scores[0])
    refused("at least one draw", scores, judged, scores[0], draws=0)
    refused("at least one topic", scores[:, :0], judged[:, :0], scores[0, :0])
    refused("names of judges", scores, judged, scores[0], judges=("ann",))
    refused("finite", scores * np.nan, judged, scores[0])
    refused(
        "scores of 5 systems in 'union'", scores, judged, scores[0], alternatives={"union": scores[0, :, :2]}
    )


def test_memory_does_not_grow_with_the_draws() -> None:
    scores, judged = generated(6, (3, 48, 33))

    def peak(draws: int) -> int:
        tracemalloc.start()
        swap_judges(scores, judged, scores[0], draws=draws)
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(10)
    assert (
        peak(60_000) < peak(15_000) + 3 * 45_000 * 8 + 2_000_000
    )  # three coefficients of each draw are kept


def test_systems_are_taken_in_any_order() -> None:
    scores, judged = generated(8)
    order = [3, 0, 4, 1, 2]
    here = swap_judges(scores, judged, scores[0], draws=500)
    there = swap_judges(scores[:, :, order], judged, scores[0][:, order], draws=500)
    for one, other in combinations(range(SYSTEMS), 2):
        assert here.swaps[order[one], order[other]] == there.swaps[one, other]
    assert isinstance(here, JudgeSwap)
    assert here.ranks[order].tolist() == there.ranks.tolist()
    assert here.tau.mean == pytest.approx(there.tau.mean)

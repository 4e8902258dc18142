"""Position bias, swapped repeats and doubly judged battles."""

from __future__ import annotations

import pytest
from hypothesis import given
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from assess.kappa.coefficient import ONE_CATEGORY, TOO_FEW
from metrics.battles.vote_checks import (
    NO_DOUBLE,
    battle_agreement,
    length_bias,
    position_bias,
    swap_consistency,
)
from metrics.battles.votes import BOTH_BAD, LEFT, RIGHT, TIE, Vote
from metrics.significance.sides import ALL_TIES, NO_VOTE, ONE_VOTE

from .test_votes import VOTES, swapped


def votes_of(choices: list[str]) -> list[Vote]:
    return [Vote(f"{topic}", "ann", "a", "b", choice) for topic, choice in enumerate(choices)]


def test_position_bias_is_the_share_of_left_among_decided_votes() -> None:
    bias = position_bias(votes_of([LEFT] * 60 + [RIGHT] * 40 + [TIE] * 15 + [BOTH_BAD] * 5))
    assert bias[:4] == (60, 40, 20, 0.6)
    exact = binomtest(60, 100)
    assert bias.test.p == pytest.approx(exact.pvalue) == pytest.approx(0.0569, abs=5e-5)
    assert bias.interval == pytest.approx(tuple(exact.proportion_ci(method="wilson")))


@pytest.mark.parametrize(
    ("choices", "reason"), [([], NO_VOTE), ([LEFT], ONE_VOTE), ([TIE, BOTH_BAD, TIE], ALL_TIES)]
)
def test_position_bias_without_enough_votes_has_a_reason(choices: list[str], reason: str) -> None:
    bias = position_bias(votes_of(choices))
    assert (bias.test.p, bias.test.reason) == (None, reason)
    assert bias.share == (1.0 if choices == [LEFT] else None)


def test_length_bias_is_the_share_of_the_longer_answer() -> None:
    lengths = [(9, 5), (5, 9), (5, 9), (7, 7), None, (9, 5)]
    choices = [LEFT, RIGHT, LEFT, LEFT, LEFT, TIE]
    votes = [vote._replace(words=words) for vote, words in zip(votes_of(choices), lengths, strict=True)]
    bias = length_bias([*votes, votes[0]._replace(is_repeat=True)])
    assert bias[:4] == (2, 1, 1, 2 / 3)
    assert bias.test.p == pytest.approx(binomtest(2, 3).pvalue)
    assert length_bias(votes[3:5]).test.reason == "there are no votes"


@given(VOTES)
def test_swapping_all_sides_turns_the_bias_round(votes: list[Vote]) -> None:
    bias, other = position_bias(votes), position_bias([swapped(vote) for vote in votes])
    assert (bias.left, bias.right, bias.ties) == (other.right, other.left, other.ties)
    assert bias.test.p == other.test.p


REPEATS = [
    # the choice of the first vote, and of the repeat with sides swapped; same winner, same side
    (LEFT, RIGHT, 1, 0),
    (RIGHT, LEFT, 1, 0),
    (LEFT, LEFT, 0, 1),
    (RIGHT, RIGHT, 0, 1),
    (TIE, TIE, 1, 0),
    (TIE, BOTH_BAD, 1, 0),
    (LEFT, TIE, 0, 0),
    (TIE, RIGHT, 0, 0),
]


@pytest.mark.parametrize(("first", "again", "same", "same_side"), REPEATS)
def test_a_repeat_has_the_same_winner_or_the_same_side(
    first: str, again: str, same: int, same_side: int
) -> None:
    votes = [Vote("7", "ann", "a", "b", first), Vote("7", "ann", "b", "a", again, is_repeat=True)]
    assert swap_consistency(votes)[:4] == (1, same, same_side, same)


def test_a_repeat_counts_with_the_vote_of_its_judge_on_its_topic() -> None:
    first = Vote("7", "ann", "a", "b", LEFT)
    others = [
        Vote("7", "bob", "b", "a", RIGHT, is_repeat=True),  # of another judge
        Vote("8", "ann", "b", "a", RIGHT, is_repeat=True),  # of another topic
        Vote("7", "ann", "c", "a", RIGHT, is_repeat=True),  # of other answers
        Vote("7", "ann", "a", "b", LEFT, is_repeat=True),  # not swapped
    ]
    assert swap_consistency([first, *others]) == (0, 0, 0, None, None)
    repeat = Vote("7", "ann", "b", "a", RIGHT, is_repeat=True)
    consistency = swap_consistency([first, *others, repeat])
    assert consistency[:4] == (1, 1, 0, 1.0)
    assert consistency.interval == pytest.approx(tuple(binomtest(1, 1).proportion_ci(method="wilson")))


PAIRS = [(LEFT, LEFT)] * 5 + [(RIGHT, RIGHT)] * 4 + [(TIE, BOTH_BAD)] * 2 + [(LEFT, RIGHT), (RIGHT, TIE)]


def doubly_judged(turn: bool) -> list[Vote]:
    """Return the votes of ann and bob on battles; turn: bob has seen every second one with sides swapped."""
    votes = []
    for topic, (one, other) in enumerate(PAIRS):
        second = Vote(f"{topic}", "bob", "a", "b", other)
        votes += [
            Vote(f"{topic}", "ann", "a", "b", one),
            swapped(second) if turn and topic % 2 else second,
        ]
    return votes


@pytest.mark.parametrize("turn", [False, True])
def test_agreement_is_that_of_the_winners_whatever_the_sides(turn: bool) -> None:
    agreement = battle_agreement(doubly_judged(turn))
    assert agreement.counts.tolist() == [[5, 1, 0], [0, 4, 1], [0, 0, 2]]
    assert agreement.share.value == pytest.approx(11 / 13)
    merged = [[TIE if choice == BOTH_BAD else choice for choice in own] for own in zip(*PAIRS, strict=True)]
    assert agreement.kappa.value == pytest.approx(cohen_kappa_score(*merged))


def test_repeats_and_single_votes_do_not_count_for_agreement() -> None:
    single = [Vote("99", "ann", "a", "b", LEFT), Vote("99", "ann", "b", "a", LEFT, is_repeat=True)]
    agreement = battle_agreement([*doubly_judged(False), *single])
    assert agreement.counts.sum() == len(PAIRS)
    assert battle_agreement(single).kappa.reason == battle_agreement([]).share.reason == NO_DOUBLE


def test_three_judges_of_a_battle_are_three_pairs() -> None:
    votes = [
        Vote("7", judge, "a", "b", choice) for judge, choice in zip("xyz", (LEFT, LEFT, TIE), strict=True)
    ]
    assert battle_agreement(votes).counts.tolist() == [[1, 0, 2], [0, 0, 0], [0, 0, 0]]


def test_undefined_agreement_has_the_reason_of_kappa() -> None:
    assert battle_agreement(doubly_judged(False)[:2]).kappa.reason == TOO_FEW
    assert battle_agreement(doubly_judged(False)[:4]).kappa.reason == ONE_CATEGORY

"""Checks of votes on battles: the side, the length, the same judge again, and two judges of one battle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from assess.judge_checks import wilson
from assess.kappa.coefficient import NO_OVERLAP, Coefficient
from assess.kappa.pairs import coefficients_of_table
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import Counts, confusion
from metrics.battles.votes import LEFT, RIGHT, Vote, checked_votes
from metrics.significance.sides import PositionBias, side_bias

FIRST_WINS, SECOND_WINS, NEITHER = 0, 1, 2
OUTCOMES = (FIRST_WINS, SECOND_WINS, NEITHER)
"""Categories of the kappa: the system on the left of the first vote, the one on its right, and a tie."""

NO_DOUBLE = "no battle has votes of two judges"


def position_bias(votes: Iterable[Vote]) -> PositionBias:
    """Return how often the side on the left wins. Repeats count, as their sides were shown as well.

    If every system is as often on the left, the share is 1/2 in the mean unless judges prefer a side. The
    test and the interval take votes as independent, which those of one judge are not quite.
    """
    return side_bias([vote.choice for vote in checked_votes(votes)])


def length_bias(votes: Iterable[Vote]) -> PositionBias:
    """Return how often the longer answer wins: `left` counts its votes, `right` those of the shorter one.

    Votes without the numbers of words, votes on two answers of the same length, and repeats do not count. A
    share above 1/2 shows no fault of the judges by itself: longer answers may be better ones.
    """
    flipped = {LEFT: RIGHT, RIGHT: LEFT}
    longer_first = []
    for vote in checked_votes(votes):
        if vote.words is None or vote.words[0] == vote.words[1] or vote.is_repeat:
            continue
        is_longer = vote.words[0] > vote.words[1]
        choice = vote.choice if is_longer else flipped.get(vote.choice, vote.choice)
        longer_first.append(vote._replace(choice=choice))
    return position_bias(longer_first)


class SwapConsistency(NamedTuple):
    """Repeats with sides swapped, beside the first vote of the same judge on the same two answers.

    same: repeats with the same winner, or a tie again. same_side: repeats with another winner on the same
    side, which is what a preference for a side looks like. share: same over repeats, None without a repeat.
    interval: of the share, by Wilson, at 95 %.
    """

    repeats: int
    same: int
    same_side: int
    share: float | None
    interval: tuple[float, float] | None


def swap_consistency(votes: Iterable[Vote]) -> SwapConsistency:
    """Return how often judges decide the same when the sides are swapped. Votes are in the order of time.

    A repeat without a first vote, or with the sides of the first vote, does not count. A judge who always
    votes at random among left and right has a share of 1/2.
    """
    first: dict[tuple[str, str, frozenset[str]], Vote] = {}
    repeats = same = same_side = 0
    for vote in checked_votes(votes):
        key = vote.topic, vote.judge, frozenset((vote.left, vote.right))
        if not vote.is_repeat:
            first.setdefault(key, vote)
        elif key in first and first[key].left == vote.right:
            repeats += 1
            same += first[key].winner == vote.winner
            same_side += first[key].winner != vote.winner and first[key].choice == vote.choice
    share = same / repeats if repeats else None
    return SwapConsistency(repeats, same, same_side, share, wilson(same, repeats))


@dataclass(frozen=True, eq=False)
class BattleAgreement:
    """Agreement of judges on battles with votes of two of them.

    counts: int64 of shape (3, 3); rows are the first vote, columns the second: for the system on the left of
    the first vote, for the one on its right, a tie. share: of battles with the same outcome. kappa: Cohen's.
    """

    counts: Counts
    share: Coefficient
    kappa: Coefficient


def battle_agreement(votes: Iterable[Vote]) -> BattleAgreement:
    """Return the agreement of two judges on the same two answers, after undoing sides.

    Votes are in the order of time, which says what the first vote is. Repeats do not count. With more than
    two judges of a battle, each pair of them counts. The coefficients are undefined as those of two judges
    are, see `assess.kappa`.
    """
    of_battle: dict[tuple[str, frozenset[str]], dict[str, Vote]] = {}
    for vote in checked_votes(votes):
        if not vote.is_repeat:
            battle = of_battle.setdefault((vote.topic, frozenset((vote.left, vote.right))), {})
            battle.setdefault(vote.judge, vote)
    pairs = [pair for own in of_battle.values() for pair in combinations(own.values(), 2)]
    firsts = [_outcome(first, first.left) for first, _ in pairs]
    seconds = [_outcome(second, first.left) for first, second in pairs]
    counts = confusion(firsts, seconds, OUTCOMES)
    share, kappa = (
        each._replace(reason=NO_DOUBLE) if each.reason == NO_OVERLAP else each
        for each in coefficients_of_table(
            counts, OUTCOMES, definitions=[REGISTRY["percent"], REGISTRY["cohen"]]
        )
    )
    return BattleAgreement(counts, share, kappa)


def _outcome(vote: Vote, left: str) -> int:
    """Return the outcome of a vote. left: the system that was on the left in the first vote."""
    if vote.winner is None:
        return NEITHER
    return FIRST_WINS if vote.winner == left else SECOND_WINS

"""The votes of a program on pairs of answers, each in both orders.

A pair is two systems on a topic. Its outcome is the winner of both orders; if the orders disagree, a tie. A
pair with a readable vote in one order only has no outcome, since the order may have decided it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from metrics.battles.vote_checks import SwapConsistency, swap_consistency
from metrics.battles.votes import TIE, Vote, checked_votes

Pair = tuple[str, frozenset[str]]


def pair_of(vote: Vote) -> Pair:
    """Return the topic and the two systems of a vote."""
    return vote.topic, frozenset((vote.left, vote.right))


def _both_orders(votes: Iterable[Vote]) -> Iterator[tuple[Vote, Vote]]:
    """Yield the two votes of each pair with both orders; the first has the lower name on the left."""
    orders: dict[Pair, dict[str, Vote]] = defaultdict(dict)
    for vote in checked_votes(votes):
        own = orders[pair_of(vote)]
        if vote.left in own:
            raise ValueError(f"expected one vote on {vote.left} before {vote.right} on topic {vote.topic}")
        own[vote.left] = vote
    for _, own in sorted(orders.items(), key=lambda item: (item[0][0], sorted(item[0][1]))):
        if len(own) == 2:
            first, second = (own[name] for name in sorted(own))
            yield first, second


def outcomes_of(votes: Iterable[Vote]) -> list[Vote]:
    """Return one vote for each pair with votes in both orders, by topic and names.

    The lower name is on the left. The choice is the winner of both orders, and a tie where they disagree or
    have no winner. Raises ValueError for a second vote on a pair in one order.
    """
    return [
        first if first.winner is not None and first.winner == second.winner else first._replace(choice=TIE)
        for first, second in _both_orders(votes)
    ]


def order_consistency(votes: Iterable[Vote]) -> SwapConsistency:
    """Return how many pairs with votes in both orders have the same winner in both, or none in both."""
    pairs = _both_orders(votes)
    return swap_consistency(
        vote for first, second in pairs for vote in (first, second._replace(is_repeat=True))
    )

"""Which of two runs the clicks of one session prefer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from metrics.interleaving.merging import A, Ranking, softmax


class Credit(NamedTuple):
    """The outcome of a session: the probabilities that run A wins, that B wins, and that it is a tie.

    All but probabilistic interleaving have one outcome with probability 1.
    """

    a: float
    b: float
    tie: float


def compared(a: int, b: int) -> Credit:
    """Return the credit of two numbers of clicks: the run with more of them wins."""
    return Credit(float(a > b), float(b > a), float(a == b))


def team_draft_credit(teams: Sequence[str], clicks: Collection[int]) -> Credit:
    """Credit each click to the run that added the document. clicks: ranks from 1.

    >>> team_draft_credit("ABBA", {1, 2, 3})
    Credit(a=0.0, b=1.0, tie=0.0)
    """
    of_a = sum(teams[rank - 1] == A for rank in clicks)
    return compared(of_a, len(clicks) - of_a)


def balanced_credit(documents: Sequence[str], a: Ranking, b: Ranking, clicks: Collection[int]) -> Credit:
    """Credit each run with the clicked documents among its first k.

    k: the smallest depth at which one of the runs has the lowest clicked document of the list.

    >>> balanced_credit("abcd", "abcd", "bcda", {3})
    Credit(a=0.0, b=1.0, tie=0.0)
    """
    if not clicks:
        return compared(0, 0)
    lowest = documents[max(clicks) - 1]
    k = min(ranking.index(lowest) + 1 for ranking in (a, b) if lowest in ranking)
    clicked = {documents[rank - 1] for rank in clicks}
    return compared(len(clicked & {*a[:k]}), len(clicked & {*b[:k]}))


def team_chances(documents: Sequence[str], a: Ranking, b: Ranking) -> list[float]:
    """Return for each document of a probabilistic list the probability that run A added it.

    The run is drawn anew for each place, and the softmax depends on the documents above, not on who added
    them: so
    the places are independent of each other, given the list.

    >>> [round(chance, 4) for chance in team_chances("ab", "ab", "ba")]
    [0.8889, 0.5]
    """
    chances = []
    for index, document in enumerate(documents):
        above = documents[:index]
        of_a, of_b = softmax(a, above).get(document, 0.0), softmax(b, above).get(document, 0.0)
        chances.append(of_a / (of_a + of_b))
    return chances


def probabilistic_credit(chances: Sequence[float], clicks: Collection[int]) -> Credit:
    """Credit the runs over all assignments of the list, each with its probability.

    chances: of `team_chances`. The sum over the 2^n assignments is taken place by place.

    >>> probabilistic_credit([0.5, 0.75], {2})
    Credit(a=0.75, b=0.25, tie=0.0)
    """
    distribution = {0: 1.0}  # clicks of A less those of B -> probability
    for rank in sorted(clicks):
        chance, after = chances[rank - 1], dict[int, float]()
        for lead, probability in distribution.items():
            after[lead + 1] = after.get(lead + 1, 0.0) + probability * chance
            after[lead - 1] = after.get(lead - 1, 0.0) + probability * (1 - chance)
        distribution = after
    wins_a = sum(probability for lead, probability in distribution.items() if lead > 0)
    wins_b = sum(probability for lead, probability in distribution.items() if lead < 0)
    return Credit(wins_a, wins_b, distribution.get(0, 0.0))

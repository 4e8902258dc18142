"""Votes of judges on battles: two answers for one topic side by side, without the names of their systems."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.rankings.transitivity import Preferred, Transitivity, transitivity
from pooling.arrays import Matrix

LEFT, RIGHT, TIE, BOTH_BAD = "left", "right", "tie", "both bad"
CHOICES = (LEFT, RIGHT, TIE, BOTH_BAD)


class Vote(NamedTuple):
    """One vote. left, right: the systems whose answers were shown there. choice: one of CHOICES.

    is_repeat: the judge has voted on the same two answers before, with sides swapped. Such a vote measures
    consistency, and counts neither as a win nor as a tie. words: of the left and the right answer, if known.
    """

    topic: str
    judge: str
    left: str
    right: str
    choice: str
    is_repeat: bool = False
    words: tuple[int, int] | None = None

    @property
    def winner(self) -> str | None:
        """The system that the judge prefers; None for a tie and if both answers are bad."""
        return {LEFT: self.left, RIGHT: self.right}.get(self.choice)


def checked_votes(votes: Iterable[Vote]) -> Iterator[Vote]:
    """Yield the votes. Raises ValueError for an unknown choice, and for a system against itself."""
    for vote in votes:
        if vote.choice not in CHOICES:
            raise ValueError(f"expected a choice ({', '.join(CHOICES)}), found {vote.choice!r}")
        if vote.left == vote.right:
            raise ValueError(f"expected two systems in a battle, found {vote.left!r} on both sides")
        yield vote


@dataclass(frozen=True, eq=False)
class WinTables:
    """The votes of each topic, counted.

    systems, topics: names, in the order of the axes. wins: float64 of shape (topics, systems, systems); votes
    that prefer the row's system to the column's. ties: of the same shape, symmetric; "both bad" is a tie.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    wins: Matrix
    ties: Matrix


def win_tables(votes: Iterable[Vote], systems: Collection[str] = ()) -> WinTables:
    """Count votes by topic, without repeats. Systems and topics are sorted.

    systems: further ones, without a vote. Two judges of one battle give two votes. Raises ValueError for a
    vote that `checked_votes` does not take.

    >>> tables = win_tables([Vote("7", "ann", "a", "b", LEFT), Vote("7", "bob", "b", "a", TIE)])
    >>> tables.wins[0].tolist(), tables.ties[0].tolist()
    ([[0.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """
    counted = [vote for vote in checked_votes(votes) if not vote.is_repeat]
    topics = tuple(sorted({vote.topic for vote in counted}))
    names = tuple(sorted({*systems, *(name for vote in counted for name in (vote.left, vote.right))}))
    place = {name: index for index, name in enumerate(names)}
    topic_place = {topic: index for index, topic in enumerate(topics)}
    wins = np.zeros((len(topics), len(names), len(names)))
    ties = np.zeros_like(wins)
    for vote in counted:
        left, right = place[vote.left], place[vote.right]
        topic = topic_place[vote.topic]
        if vote.choice in (LEFT, RIGHT):
            wins[(topic, left, right) if vote.choice == LEFT else (topic, right, left)] += 1
        else:
            ties[topic, [left, right], [right, left]] += 1
    return WinTables(names, topics, wins, ties)


def transitivity_by_topic(votes: Iterable[Vote]) -> dict[str, Transitivity]:
    """Return topic -> its triples of systems, all pairs decided, and the cycles a over b over c over a.

    The majority of the votes on a pair decides; a tied pair is not decided. Repeats do not count.
    """
    preferred: dict[str, list[Preferred]] = {}
    for vote in checked_votes(votes):
        own = preferred.setdefault(vote.topic, [])
        if not vote.is_repeat and vote.winner is not None:
            own.append((vote.winner, vote.right if vote.choice == LEFT else vote.left))
    return {topic: transitivity(own) for topic, own in preferred.items()}

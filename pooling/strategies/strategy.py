"""What a strategy is: a name, what can be set, and the pool or the live order that it makes of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pooling.columns import Flags
from pooling.refusals import Refused

from .candidates import Candidates
from .draws import Draw, draws
from .live import LiveOrder
from .parameter import Parameter, Value
from .pooled import Pooled
from .runs import ASCENDING, Lists, RunRankings, lists_of


@dataclass(frozen=True)
class Terms:
    """Everything but the runs that a pool follows from.

    values: parameter -> value, complete and checked. ties: one of TIE_RULES.
    """

    values: Mapping[str, Any]
    seed: int = 0
    ties: str = ASCENDING


Choice = Callable[[Candidates, Terms], Flags]
"""Candidates, as deep as the strategy reads -> which of their documents it takes; shape (documents,)."""


@dataclass(frozen=True, eq=False)
class Ballot:
    """What the runs say on one topic, and on what terms it is counted.

    lists: tag -> docnos, best first, cut at the deepest rank that counts. scores: tag -> the scores beside
    them, where the runs carry scores. draw: the topic's chance.
    """

    lists: Lists
    scores: Mapping[str, Sequence[float]]
    draw: Draw
    terms: Terms

    def __getitem__(self, parameter: str) -> Any:
        return self.terms.values[parameter]


def ballot_of(runs: Iterable[RunRankings], topic: str, deepest: int, terms: Terms) -> Ballot:
    """Return the ballot of one topic."""
    runs = list(runs)
    lists = lists_of(runs, topic, deepest)
    scores = {run.tag: run.scores[topic][:deepest] for run in runs if topic in run.scores}
    return Ballot(lists, scores, draws(terms.seed, topic), terms)


@dataclass(frozen=True, eq=False)
class Strategy:
    """A way from runs to a pool, once in the registry.

    name: as manifests and the command line write it. title, meaning: for people, one line each. pool: the
    pool before judging; of a live strategy every document that its order can come to. choice: the same pool,
    in columns. reach: the deepest rank that it reads in a run of a kind. order: of a live strategy how a
    topic is judged, else None. reads_scores: whether it needs the runs' scores beside their ranks.
    """

    name: str
    title: str
    meaning: str
    citation: str
    parameters: tuple[Parameter, ...]
    pool: Callable[[Sequence[RunRankings], Terms], Pooled]
    choice: Choice
    reach: Callable[[Mapping[str, Any], str], int]
    order: Callable[[Ballot], LiveOrder] | None = None
    reads_scores: bool = False

    @property
    def live(self) -> bool:
        """Whether the next document depends on the labels so far."""
        return self.order is not None

    def checked(self, parameters: Mapping[str, Any]) -> dict[str, Value]:
        """Return every parameter with its value, defaults filled in. Raises Refused."""
        known = [parameter.name for parameter in self.parameters]
        for name in parameters:
            if name not in known:
                raise Refused(f"{self.name} has no parameter {name!r} (known: {', '.join(known)})")
        return {each.name: each.checked(parameters.get(each.name, each.default)) for each in self.parameters}

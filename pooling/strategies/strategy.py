"""What a strategy is: a name, parameters, which documents it selects, and of a live one in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pooling.arrays import Flags
from pooling.refusals import Refused
from pooling.strategies.candidates import Candidates
from pooling.strategies.draws import Draw, draws
from pooling.strategies.live import LiveOrder
from pooling.strategies.parameter import Parameter, Value
from pooling.strategies.runs import ASCENDING, Lists, RunRankings, lists_of


@dataclass(frozen=True)
class Settings:
    """Everything but the runs that a pool follows from.

    values: parameter -> value, complete and checked. ties: one of TIE_RULES.
    """

    values: Mapping[str, Any]
    seed: int = 0
    ties: str = ASCENDING


Selection = Callable[[Candidates, Settings], Flags]
"""Candidates, as deep as the strategy reads -> which of their documents it takes; shape (documents,)."""


@dataclass(frozen=True, eq=False)
class TopicRankings:
    """What the runs returned for one topic, and the settings of the pool.

    lists: tag -> docnos, best first, cut at the deepest rank that counts. draw: the topic's chance.
    """

    lists: Lists
    draw: Draw
    settings: Settings

    def __getitem__(self, parameter: str) -> Any:
        return self.settings.values[parameter]


def rankings_of_topic(
    runs: Iterable[RunRankings], topic: str, deepest: int, settings: Settings
) -> TopicRankings:
    """Return the rankings of one topic."""
    return TopicRankings(lists_of(runs, topic, deepest), draws(settings.seed, topic), settings)


@dataclass(frozen=True, eq=False)
class Strategy:
    """A way from runs to a pool, once in the registry.

    name: as manifests and the command line write it. title, meaning: for people, one line each. select: the
    pool before judging; of a live strategy every document that its order can come to. reach: the deepest
    rank that it reads in a run of a kind. order: of a live strategy how a topic is judged, else None.
    reads_scores: whether it needs the runs' scores beside their ranks.
    """

    name: str
    title: str
    meaning: str
    citation: str
    parameters: tuple[Parameter, ...]
    select: Selection
    reach: Callable[[Mapping[str, Any], str], int]
    order: Callable[[TopicRankings], LiveOrder] | None = None
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

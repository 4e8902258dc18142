"""A strategy: its parameters, its settings, the documents it selects, and the order of a live one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pooling.arrays import Flags
from pooling.formats.run_order import ASCENDING
from pooling.refusals import Refused
from pooling.strategies.candidates import Candidates
from pooling.strategies.draws import Draw, draw_source
from pooling.strategies.live_orders import LiveOrder
from pooling.strategies.rankings import Lists, RunRankings, lists_of

Value = int | float | str | None


@dataclass(frozen=True)
class Parameter:
    """One parameter of a strategy: enough to make a form field, an option and a line of a manifest.

    kind: the type of its value. default: None where it may be left out. low, high: the range, both included.
    choices: what a text may be; () for any text. label: for people, by default from the name.
    """

    name: str
    kind: type[int] | type[float] | type[str]
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    label: str = ""

    @property
    def title(self) -> str:
        """The label of the parameter in forms and sentences."""
        return self.label or self.name.replace("_", " ").capitalize()

    def parse(self, text: str) -> Value:
        """Return the value of a text, from a form or a command line. Raises Refused as `checked`."""
        if not text.strip() and self.default is None:
            return None
        try:
            return self.checked(self.kind(text))
        except ValueError as error:
            raise (error if str(error).startswith(f"{self.name}: ") else self._refusal(text)) from None

    def checked(self, value: object) -> Value:
        """Return a value of the right type. Raises Refused with the parameter and what was expected."""
        if value is None and self.default is None:
            return None
        if self.kind is float and type(value) is int:
            value = float(value)
        if type(value) is not self.kind:  # not isinstance: True is no number here
            raise self._refusal(value)
        if isinstance(value, str):
            if self.choices and value not in self.choices:
                raise self._refusal(value)
            return value
        assert isinstance(value, int | float)
        if not self._in_range(value) or (isinstance(value, float) and not isfinite(value)):
            raise self._refusal(value)
        return value

    def _in_range(self, value: float) -> bool:
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def _refusal(self, value: object) -> Refused:
        return Refused(f"{self.name}: expected {self.expected}, found {value!r}")

    @property
    def expected(self) -> str:
        """What the value must be, in words: "a whole number from 1 to 100"."""
        if self.kind is str:
            return " or ".join(self.choices) if self.choices else "text"
        noun = "a whole number" if self.kind is int else "a number"
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low:g} to {self.high:g}"
        return noun if self.low is None else f"{noun} of at least {self.low:g}"


MAX_RANK = 100_000  # ranks; no run is read deeper

PER_GROUP = Parameter(
    "per_group", int, None, "Runs taken from each group, by priority (empty: all runs)", 1, 1000,
    label="Runs per group",
)  # fmt: skip
DEPTH = Parameter("k", int, 10, "Documents taken from each run", 1, MAX_RANK, label="Depth k")
MANUAL_K = Parameter(
    "manual_k", int, None, "Documents taken from each manual run (empty: same as k)", 1, MAX_RANK,
    label="Depth for manual runs",
)  # fmt: skip
BUDGET = Parameter("budget", int, 100, "Documents to judge for each topic", 1, MAX_RANK)
FLOOR = Parameter(
    "floor", int, 10, "Documents judged from every run, even above the budget", 0, 1000,
    label="Minimum per run",
)  # fmt: skip
MAX_RANK_READ = Parameter(
    "deepest", int, 100, "Deepest rank that is read in each run", 1, MAX_RANK, label="Deepest rank"
)
BUDGETED = (BUDGET, FLOOR, MAX_RANK_READ, PER_GROUP)
CONSTANT = Parameter(
    "constant",
    float,
    60.0,
    "Constant added to each rank; a larger one gives the first ranks less weight",
    0,
    10_000,
)
PERSISTENCE = Parameter(
    "p", float, 0.8, "Persistence: the probability that a user continues to the next rank", 0, 1
)
STRATA = Parameter(
    "strata",
    str,
    "10:1 20:0.5 50:0.2 100:0.1",
    "Strata from the top, each as last rank:share of documents judged",
)
CREDIT = Parameter(
    "credit", str, "played", "Runs that learn from a label: the source run, or all with the document",
    choices=("played", "holders"),
)  # fmt: skip
RATE = Parameter(
    "rate",
    float,
    0.9,
    "Factor by which each new label multiplies the weight of earlier labels (1: no decay)",
    0,
    1,
)
BETA = Parameter(
    "beta", float, 0.1,
    "Learning factor β: a label multiplies the weight of a run by β to the power of its loss",
    1e-6, 1, label="Beta",
)  # fmt: skip


@dataclass(frozen=True)
class PoolSettings:
    """Everything but the runs that a pool follows from.

    values: parameter -> value, complete and checked. ties: one of TIE_RULES.
    """

    values: Mapping[str, Any]
    seed: int = 0
    ties: str = ASCENDING


Selection = Callable[[Candidates, PoolSettings], Flags]
"""Candidates, as deep as the strategy reads -> which of their documents it takes; shape (documents,)."""


@dataclass(frozen=True, eq=False)
class TopicRankings:
    """What the runs returned for one topic, and the settings of the pool.

    lists: tag -> docnos, best first, cut at the deepest rank that counts. draw: the topic's chance.
    """

    lists: Lists
    draw: Draw
    settings: PoolSettings

    def __getitem__(self, parameter: str) -> Any:
        return self.settings.values[parameter]


def rankings_of_topic(
    runs: Iterable[RunRankings], topic: str, deepest: int, settings: PoolSettings
) -> TopicRankings:
    """Return the rankings of one topic."""
    return TopicRankings(lists_of(runs, topic, deepest), draw_source(settings.seed, topic), settings)


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
        return {
            parameter.name: parameter.checked(parameters.get(parameter.name, parameter.default))
            for parameter in self.parameters
        }

    def in_words(self, parameters: Mapping[str, Any]) -> str:
        """Return the title with the values of its parameters: "Depth 10, depth for manual runs 20"."""
        title, stated = (
            self.title,
            {name: value for name, value in parameters.items() if value not in (None, "")},
        )
        if title.endswith(" k") and "k" in stated:
            title = f"{title.removesuffix(' k')} {stated.pop('k')}"
        titles = {parameter.name: parameter.title for parameter in self.parameters}
        words = (f"{lower_first(titles.get(name, name))} {value}" for name, value in stated.items())
        return ", ".join((title, *words))


def lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]

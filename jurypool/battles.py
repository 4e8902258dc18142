"""Strengths of systems from blind comparisons of their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assess.kappa.bootstrap import Bootstrap
from metrics.battles.davidson import Davidson
from metrics.battles.davidson import davidson as davidson_of
from metrics.battles.rank_intervals import DRAWS, BattleRanking, rank_systems
from metrics.battles.votes import LEFT, RIGHT, TIE, Vote, WinTables, win_tables
from pooling.notebook import fields_html, markup
from pooling.refusals import Refused

from .tables import shown

if TYPE_CHECKING:
    import pandas

Battle = tuple[str, str, str, str | None]
"""Topic, two systems, and the preferred one of them; None for a tie."""


@dataclass(frozen=True)
class Strength:
    """One system among the others.

    Attributes
    ----------
    rank
        From 1; equal systems share the better rank.
    log_strength, error
        log p, whose sum over the systems is 0, and its standard error for independent battles.
    elo
        1000 + 400 log10 p.
    win_rate
        Wins and half the ties, over the battles.
    battles
        Of the system.
    interval
        Of log p, at 95 %, by bootstrap over topics; None where there is none.
    ranks
        The best and the worst rank that the battles allow, at 95 %; None where there is none.
    """

    rank: int
    log_strength: float
    error: float
    elo: float
    win_rate: float
    battles: int
    interval: tuple[float, float] | None
    ranks: tuple[int, int] | None

    def _repr_html_(self) -> str:
        return fields_html(self)


class BattleStrengths(Mapping[str, Strength]):
    """The Bradley-Terry model of battles: system -> `Strength`, best first; empty where it is undefined.

    Attributes
    ----------
    reason
        Why the strengths are undefined, "" where they are not.
    about
        The systems that the reason is about.
    no_interval
        Why there are no intervals, "" where there are.
    has_prior
        Whether half a win each way against a dummy system was added.
    topics
        The number of topics with battles.
    """

    def __init__(self, ranking: BattleRanking, topics: int) -> None:
        self._ranking, self.topics = ranking, topics
        model = ranking.model
        self.reason, self.no_interval, self.has_prior = model.reason, ranking.no_interval, model.has_prior
        self.about = tuple(ranking.systems[place] for place in model.about)
        rows = sorted(_strengths(ranking), key=lambda row: row[1].rank)
        self._strengths = dict(rows)

    def __getitem__(self, system: str) -> Strength:
        return self._strengths[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self._strengths)

    def __len__(self) -> int:
        return len(self._strengths)

    def probability(self, first: str, second: str) -> float:
        """Return the probability that the first system beats the second one, a tie being half a win."""
        return float(self._of_pair(self._ranking.model.probabilities, first, second))

    def error_of_difference(self, first: str, second: str) -> float:
        """Return the standard error of the difference of two log strengths, for independent battles."""
        return float(self._of_pair(self._ranking.model.errors_of_differences, first, second))

    def is_better(self, first: str, second: str) -> bool:
        """Return whether the 95 % interval of the difference of log strengths is above 0.

        False where there are no intervals.
        """
        intervals = self._ranking.intervals
        return intervals is not None and bool(self._of_pair(intervals.better, first, second))

    def _of_pair(self, matrix: Any, first: str, second: str) -> Any:
        for system in (first, second):
            if system not in self._strengths:
                raise KeyError(self.reason or f"expected a system that has battles, found {system!r}")
        return matrix[self._ranking.systems.index(first), self._ranking.systems.index(second)]

    def to_dict(self) -> dict[str, Any]:
        """Return the strengths as plain data, ready for JSON."""
        return {
            "reason": self.reason,
            "about": list(self.about),
            "no_interval": self.no_interval,
            "has_prior": self.has_prior,
            "topics": self.topics,
            "systems": {system: asdict(strength) for system, strength in self.items()},
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each system, best first. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        return pd.DataFrame.from_dict(self.to_dict()["systems"], orient="index")

    def _rows(self) -> list[list[str]]:
        return [
            [
                system,
                str(each.rank),
                "{} to {}".format(*each.ranks) if each.ranks else "",
                f"{each.log_strength:.4f}",
                "{:.4f} to {:.4f}".format(*each.interval) if each.interval else "",
                f"{each.elo:.0f}",
                f"{each.win_rate:.4f}",
            ]
            for system, each in self.items()
        ]

    def _caption(self) -> str:
        prior = "with half a win each way against a dummy system" if self.has_prior else ""
        why = self.reason or (self.no_interval and f"no intervals: {self.no_interval}")
        return "; ".join(filter(None, ["Bradley-Terry", f"{self.topics} topics", prior, why]))

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in range(7)] if rows else []
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width)
            for row in rows
        ]
        return "\n".join([*(line.rstrip() for line in lines), f"({self._caption()})"])

    def _repr_html_(self) -> str:
        head = ["system", "rank", "95 % ranks", "log strength", "95 % interval", "Elo", "win rate"]
        return markup(head, self._rows(), self._caption())


def _strengths(ranking: BattleRanking) -> Iterator[tuple[str, Strength]]:
    model, intervals = ranking.model, ranking.intervals
    if model.log_strengths is None or model.errors is None or model.elo is None or ranking.ranks is None:
        return
    for place, system in enumerate(ranking.systems):
        interval = ranks = None
        if intervals is not None:
            interval = float(intervals.low[place]), float(intervals.high[place])
            ranks = int(intervals.best[place]), int(intervals.worst[place])
        yield (
            system,
            Strength(
                rank=int(ranking.ranks[place]),
                log_strength=float(model.log_strengths[place]),
                error=float(model.errors[place]),
                elo=float(model.elo[place]),
                win_rate=float(model.win_rates[place]),
                battles=int(model.battles[place]),
                interval=interval,
                ranks=ranks,
            ),
        )


def bradley_terry(
    battles: Iterable[Battle], *, prior: bool = False, draws: int = DRAWS, seed: int = 0
) -> BattleStrengths:
    """Return strengths of systems from battles: the Bradley-Terry model, with a tie as half a win of each.

    System i beats system j with probability p_i / (p_i + p_j). Source: Bradley & Terry 1952.

    Parameters
    ----------
    battles
        Tuples ``(topic, system, other system, winner)``, the winner being one of the two, or None for a tie.
    prior
        Add half a win each way between every system and a dummy system, so that strengths are defined even
        for a system that won or lost all its battles.
    draws, seed
        Of the bootstrap over topics that gives intervals; 0 draws for none. They need 10 topics.

    Examples
    --------
    >>> import jurypool as jp
    >>> battles = [("7", "a", "b", "a"), ("7", "a", "c", None), ("8", "b", "c", "b"), ("8", "a", "c", "c")]
    >>> strengths = jp.bradley_terry([*battles, ("9", "b", "a", "b"), ("9", "b", "a", "b")])
    >>> list(strengths), round(strengths["b"].elo), round(strengths.probability("b", "a"), 3)
    (['b', 'c', 'a'], 1117, 0.769)
    >>> jp.bradley_terry(battles[:2]).reason
    'a system has no win and no tie, so that no strength is low enough for it'
    """
    if draws < 0:
        raise Refused(f"expected a number of draws of 0 or more, found {draws}")
    tables = _tables(battles)
    ranking = rank_systems(tables, prior, Bootstrap(seed, draws))
    return BattleStrengths(ranking, len(tables.topics))


class DavidsonStrengths(Mapping[str, float]):
    """Davidson's model of battles: system -> log strength, best first; empty where it is undefined.

    Attributes
    ----------
    nu
        The parameter of ties: nu / (2 + nu) of the battles of equal systems are ties.
    negative_log_likelihood
        Of all battles.
    reason
        Why the model is undefined, "" where it is not; then nu and the likelihood are None.
    about
        The systems that the reason is about.
    """

    def __init__(self, model: Davidson, systems: tuple[str, ...]) -> None:
        self.nu, self.negative_log_likelihood = model.nu, model.negative_log_likelihood
        self.reason, self.about = model.reason, tuple(systems[place] for place in model.about)
        self._model, self._systems = model, systems
        logs = [] if model.log_strengths is None else model.log_strengths.tolist()
        pairs = zip(systems if logs else (), logs, strict=True)
        self._logs: dict[str, float] = dict(sorted(pairs, key=lambda pair: -pair[1]))

    def __getitem__(self, system: str) -> float:
        return self._logs[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self._logs)

    def __len__(self) -> int:
        return len(self._logs)

    def probabilities(self, first: str, second: str) -> tuple[float, float, float]:
        """Return the probabilities of a win of the first system, of a tie, and of a win of the second."""
        for system in (first, second):
            if system not in self._logs:
                raise KeyError(self.reason or f"expected a system that has battles, found {system!r}")
        assert self._model.probabilities is not None
        win, tie = self._model.probabilities
        one, other = self._systems.index(first), self._systems.index(second)
        return float(win[one, other]), float(tie[one, other]), float(win[other, one])

    def _caption(self) -> str:
        return f"Davidson; {self.reason if self.nu is None else f'nu {self.nu:.4f}'}"

    def __repr__(self) -> str:
        rows = [f"{system}  {log:.4f}" for system, log in self.items()]
        return "\n".join([*rows, f"({self._caption()})"])

    def _repr_html_(self) -> str:
        rows = [[system, f"{log:.4f}"] for system, log in self.items()]
        return markup(["system", "log strength"], rows, self._caption())


def davidson(battles: Iterable[Battle]) -> DavidsonStrengths:
    """Return strengths of systems from battles: Davidson's model, in which a tie is an outcome of its own.

    With D = p_i + p_j + nu sqrt(p_i p_j), system i wins with probability p_i / D, and it is a tie with
    nu sqrt(p_i p_j) / D. Source: Davidson 1970.

    Parameters
    ----------
    battles
        As for `bradley_terry`.

    Examples
    --------
    >>> import jurypool as jp
    >>> battles = [("7", "a", "b", "a"), ("7", "a", "b", None), ("8", "a", "b", "b"), ("9", "a", "b", "a")]
    >>> model = jp.davidson(battles)
    >>> [round(value, 3) for value in model.probabilities("a", "b")], round(model.nu, 3)
    ([0.5, 0.25, 0.25], 0.707)
    """
    tables = _tables(battles)
    return DavidsonStrengths(davidson_of(tables.wins.sum(axis=0), tables.ties.sum(axis=0)), tables.systems)


def _tables(battles: Iterable[Battle]) -> WinTables:
    return win_tables(_vote(row, battle) for row, battle in enumerate(battles, start=1))


def _vote(row: int, battle: object) -> Vote:
    fields = "a tuple (topic, system, other system, winner)"
    if not isinstance(battle, tuple | list) or len(battle) != 4:
        raise Refused(f"battle {row}: expected {fields}, found {shown(battle)}")
    topic, one, other, winner = battle
    if not all(isinstance(name, str) for name in (topic, one, other)):
        raise Refused(f"battle {row}: expected {fields} of texts, found {shown(battle)}")
    if one == other:
        raise Refused(f"battle {row}: expected two systems, found {one!r} twice")
    if winner is not None and winner not in (one, other):
        raise Refused(
            f"battle {row}: expected {one!r}, {other!r} or None as the winner, found {shown(winner)}"
        )
    choice = TIE if winner is None else LEFT if winner == one else RIGHT
    return Vote(topic, "", one, other, choice)

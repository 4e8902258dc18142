"""The result of a set of battles: who leads, what cannot be told apart, and checks of the votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.battles.davidson import Davidson, davidson
from metrics.battles.rank_intervals import BattleRanking, rank_systems
from metrics.battles.sample_size import battles_needed
from metrics.battles.vote_checks import (
    BattleAgreement,
    SwapConsistency,
    battle_agreement,
    length_bias,
    position_bias,
    swap_consistency,
)
from metrics.battles.votes import BOTH_BAD, TIE, Vote, WinTables, transitivity_by_topic, win_tables
from metrics.leaderboard import Axis, IntervalBar, axis_of
from metrics.rankings.transitivity import Transitivity
from metrics.significance.sides import PositionBias
from pooling.arrays import Flags, Matrix, Vector
from pooling.words import enumeration

SHADES = 5  # of shares above a half
MOST_NAMED = 5  # systems in a sentence


class SystemRow(NamedTuple):
    """A system. rank, log_strength, elo: None where the model is undefined; the others without intervals.

    battles: votes on its answers. win_rate: wins and half ties over battles, None without a battle.
    """

    system: str
    rank: int | None
    best: int | None
    worst: int | None
    log_strength: float | None
    low: float | None
    high: float | None
    elo: float | None
    win_rate: float | None
    battles: int
    span: IntervalBar | None

    @property
    def rank_range(self) -> str:
        """The interval of the rank in words, "" without one."""
        if self.best is None or self.worst is None:
            return ""
        return str(self.best) if self.best == self.worst else f"{self.best} to {self.worst}"


class MatrixCell(NamedTuple):
    """The row's system against the column's. share: of the battles won, ties half; None without a battle."""

    share: float | None
    battles: int
    is_same: bool

    @property
    def shade(self) -> int:
        """From 0 for a share up to a half to SHADES for all."""
        return 0 if self.share is None else max(0, min(SHADES, int(np.ceil((self.share - 0.5) * 2 * SHADES))))


class Neighbours(NamedTuple):
    """Two systems whose ranks follow each other.

    probability: that the first wins, by the model. had: battles of the two. needed: battles that show the
    difference; None where there is no difference to find.
    """

    first: str
    second: str
    probability: float
    had: int
    needed: int | None

    @property
    def still_needed(self) -> int | None:
        return None if self.needed is None else max(0, self.needed - self.had)


class Choices(NamedTuple):
    """Votes without repeats: with a winner, ties, and "both bad"."""

    decided: int
    ties: int
    both_bad: int

    @property
    def votes(self) -> int:
        return sum(self)


class BattleVerdict(NamedTuple):
    """The result in sentences. lead: who leads. unclear: which ranks cannot be told apart, or why unknown."""

    lead: str
    unclear: str


@dataclass(frozen=True, eq=False)
class BattleResult:
    """Everything that the page of results shows. rows: best system first; matrix: in this order.

    zero: the place of strength 0 on the axis of the intervals. transitivity: over all topics.
    """

    verdict: BattleVerdict
    rows: list[SystemRow]
    matrix: list[tuple[str, list[MatrixCell]]]
    neighbours: list[Neighbours]
    ranking: BattleRanking
    about: list[str]
    zero: str
    choices: Choices
    judges: int
    topics: int
    bias: PositionBias
    length: PositionBias
    swap: SwapConsistency
    agreement: BattleAgreement
    transitivity: Transitivity
    davidson: Davidson

    @property
    def equal_tie_share(self) -> float | None:
        """How often equal systems tie, by Davidson's model."""
        return None if self.davidson.nu is None else self.davidson.nu / (2 + self.davidson.nu)


def battle_result(votes: Sequence[Vote], systems: Collection[str], prior: bool = False) -> BattleResult:
    """Return the result of votes, which are in the order of time. systems: all of the set.

    prior: as of `metrics.battles.bradley_terry.bradley_terry`.
    """
    tables = win_tables(votes, systems)
    ranking = rank_systems(tables, prior)
    wins, ties = tables.wins.sum(axis=0), tables.ties.sum(axis=0)
    order = _order(ranking)
    counted = [vote for vote in votes if not vote.is_repeat]
    choices = Counter(vote.choice for vote in counted)
    of_topics = transitivity_by_topic(votes).values()
    rows, zero = _rows(ranking, order)
    tie_count = choices[TIE] + choices[BOTH_BAD]
    return BattleResult(
        verdict_of(ranking),
        rows,
        _matrix(tables, wins, ties, order),
        _neighbours(ranking, wins + wins.T + ties, order, tie_count / len(counted) if counted else 0.0),
        ranking,
        [tables.systems[index] for index in ranking.model.about],
        zero,
        Choices(len(counted) - tie_count, choices[TIE], choices[BOTH_BAD]),
        len({vote.judge for vote in votes}),
        len(tables.topics),
        position_bias(votes),
        length_bias(votes),
        swap_consistency(votes),
        battle_agreement(votes),
        Transitivity(sum(each.triples for each in of_topics), sum(each.cycles for each in of_topics)),
        davidson(wins, ties),
    )


def _order(ranking: BattleRanking) -> list[int]:
    """Return the systems best first; by win rate, unknown ones last, where strengths are undefined."""
    logs = ranking.model.log_strengths
    key: Vector = np.nan_to_num(ranking.model.win_rates, nan=-1.0) if logs is None else logs
    order: list[int] = np.argsort(-key, kind="stable").tolist()
    return order


def _rows(ranking: BattleRanking, order: Sequence[int]) -> tuple[list[SystemRow], str]:
    model, intervals, ranked = ranking.model, ranking.intervals, ranking.ranks
    logs, elo = model.log_strengths, model.elo
    axis = axis_of(intervals.low, intervals.high) if intervals else None
    rows = []
    for index in order:
        low, high = (float(intervals.low[index]), float(intervals.high[index])) if intervals else (None, None)
        log = None if logs is None else float(logs[index])
        rows.append(
            SystemRow(
                ranking.systems[index],
                None if ranked is None else int(ranked[index]),
                int(intervals.best[index]) if intervals else None,
                int(intervals.worst[index]) if intervals else None,
                log,
                low,
                high,
                None if elo is None else float(elo[index]),
                None if np.isnan(model.win_rates[index]) else float(model.win_rates[index]),
                int(model.battles[index]),
                _span(axis, low, high, log),
            )
        )
    return rows, axis.place(0.0) if axis else ""


def _span(axis: Axis | None, low: float | None, high: float | None, log: float | None) -> IntervalBar | None:
    if axis is None or low is None or high is None or log is None:
        return None
    return IntervalBar(low, high, axis.place(low), axis.place(high), axis.place(log))


def _matrix(
    tables: WinTables, wins: Matrix, ties: Matrix, order: Sequence[int]
) -> list[tuple[str, list[MatrixCell]]]:
    battles, halves = wins + wins.T + ties, wins + ties / 2

    def cell(row: int, column: int) -> MatrixCell:
        count = int(battles[row, column])
        return MatrixCell(float(halves[row, column]) / count if count else None, count, row == column)

    return [(tables.systems[row], [cell(row, column) for column in order]) for row in order]


def _neighbours(
    ranking: BattleRanking, battles: Matrix, order: Sequence[int], tie_share: float
) -> list[Neighbours]:
    """Return each two systems that follow each other; none where the model is undefined."""
    chances = ranking.model.probabilities
    if chances is None:
        return []
    neighbours = []
    for one, other in zip(order, order[1:], strict=False):
        chance = float(chances[one, other])
        ties = max(0.0, min(tie_share, 1 - 2 * abs(chance - 0.5)))  # no more ties than the rate allows
        needed = battles_needed(chance, ties)
        names = ranking.systems[one], ranking.systems[other]
        neighbours.append(Neighbours(*names, chance, int(battles[one, other]), needed))
    return neighbours


def verdict_of(ranking: BattleRanking) -> BattleVerdict:
    """Return who leads and which ranks cannot be told apart, in sentences."""
    if ranking.ranks is None:
        return BattleVerdict("No system leads yet.", f"Strengths are undefined: {ranking.no_interval}.")
    order = _order(ranking)
    first = [ranking.systems[index] for index in order if ranking.ranks[index] == 1]
    names = enumeration(first, MOST_NAMED)
    if ranking.intervals is None:
        lead = f"{names} {'has' if len(first) == 1 else 'have'} the greatest strength."
        return BattleVerdict(lead, f"Which ranks can be told apart is not known: {ranking.no_interval}.")
    better, best = ranking.intervals.better, order[0]
    rivals = [ranking.systems[index] for index in order[1:] if not better[best, index]]
    if rivals:
        lead = f"{ranking.systems[best]} has the greatest strength, but is not told apart from"
        lead = f"{lead} {enumeration(rivals, MOST_NAMED)}."
    else:
        lead = f"{ranking.systems[best]} leads: it is better than every other system at 95 %."
    groups = groups_not_told_apart(better[np.ix_(order, order)])
    if not groups:
        return BattleVerdict(lead, "All ranks can be told apart.")
    shown = [f"{start} to {end}" for start, end in groups]
    joined = " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    return BattleVerdict(lead, f"Ranks {joined} cannot be told apart.")


def groups_not_told_apart(better: Flags) -> list[tuple[int, int]]:
    """Return the first and the last rank of each largest group of neighbours of which no two are told apart.

    better: whether the row's system is better than the column's, best system first. Groups can overlap.

    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> groups_not_told_apart(better)
    [(1, 2), (2, 3)]
    """
    apart = better | better.T
    groups: list[tuple[int, int]] = []
    for start in range(len(better)):
        end = start
        while end + 1 < len(better) and not apart[start : end + 2, start : end + 2].any():
            end += 1
        if end > start and (not groups or end + 1 > groups[-1][1]):
            groups.append((start + 1, end + 1))
    return groups

"""The leaderboard of a release."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.leaderboard import (
    NO_MEAN,
    TEXT_COLUMNS,
    UNJUDGED,
    Axis,
    ColumnHead,
    IntervalBar,
    LeaderboardState,
    best_of_groups,
    column_heads,
    interval_bars,
    shown_ranks,
)
from metrics.measures.base import Measure
from metrics.queries.scores import ScoreTable
from metrics.rankings.ranking import is_best
from metrics.significance.intervals import TOO_FEW
from pooling.arrays import Flags
from pooling.models import Run


class ScoreCell(NamedTuple):
    value: float
    best: bool


class LeaderboardRow(NamedTuple):
    """A run on the leaderboard. rank, lead, span: on the leading measure. cells: of every measure.

    rank: None if no value of the leading measure is better than another, and for a run that was submitted
    after a release: `late`. Such rows stand below the others. others: the cells of the other measures. pools:
    the number of frozen pools that the run is in, 0 if not counted. answered: the number of topics of the
    release that the run answers; `unjudged` is the mean over these.
    """

    rank: int | None
    run: Run
    late: bool
    pools: int
    span: IntervalBar | None
    unjudged: float
    answered: int
    cells: list[ScoreCell]
    lead: ScoreCell
    others: list[ScoreCell]


class Leaderboard(NamedTuple):
    """The leaderboard. measures: the columns. lead: the measure with intervals, drawn on `scale`.

    no_interval: why there are no intervals, "" otherwise. best_only: whether only the best run of each group
    is shown. hidden: number of runs left out, because a document of their first 10 is not judged. lower: the
    measures of which lower values are better. unranked: the measures of which no value is better than
    another.
    """

    measures: list[str]
    lead: str
    lines: list[LeaderboardRow]
    scale: Axis | None
    no_interval: str
    best_only: bool
    hidden: int
    lower: list[str]
    unranked: list[str]

    @property
    def lead_is_mean(self) -> bool:
        """Whether the leading measure is a mean over topics, and not a sum or a micro average."""
        return self.no_interval != NO_MEAN

    @property
    def lacks_topics(self) -> bool:
        """Whether there are no intervals because the release has too few topics."""
        return self.no_interval == TOO_FEW


def leaderboard(table: ScoreTable, state: LeaderboardState) -> Leaderboard:
    """Return the leaderboard in a state. table: scored on the state's measures and on UNJUDGED."""
    values, means = table.of(state.lead)
    lead, shown = table.measure(state.lead), [table.measure(name) for name in state.measures]
    spans = interval_bars(lead, values, means)
    bars, scale = (spans[0], spans[1]) if not isinstance(spans, str) else ([None] * len(means), None)
    late = np.array([getattr(run, "after_release", None) is not None for run in table.runs], dtype=bool)
    columns = [_cells(table.of(measure.name)[1], measure, late) for measure in shown]
    places = _places(means, lead, late)
    unjudged = table.of(UNJUDGED)[1], table.answered.tolist()
    rows = zip(places, table.runs, bars, *unjudged, zip(*columns, strict=True), strict=True)
    lines = [_line(state, *row) for row in rows]
    judged = [line for line in lines if not state.judged_only or not line.unjudged]
    hidden, lines = len(lines) - len(judged), judged
    best_only = state.best_only and lead.direction != "neither"
    if best_only:
        lines = [line for line in lines if not line.late]
        lines = best_of_groups(lines, lambda line: line.run.group, lambda line: line.rank or 0)
    return Leaderboard(
        list(state.measures),
        state.lead,
        _in_order(lines, state),
        scale,
        spans if isinstance(spans, str) else "",
        best_only,
        hidden,
        [measure.name for measure in shown if measure.direction == "lower"],
        [measure.name for measure in shown if measure.direction == "neither"],
    )


def _cells(means: list[float], measure: Measure, late: Flags) -> list[ScoreCell]:
    best = np.zeros(len(means), dtype=bool)
    best[~late] = is_best(np.array(means)[~late], measure.direction)
    return [ScoreCell(mean, is_the_best) for mean, is_the_best in zip(means, best.tolist(), strict=True)]


def _places(means: list[float], lead: Measure, late: Flags) -> list[int | None]:
    """Return the rank of each run among those that are not late."""
    ranked = iter(shown_ranks(np.array(means)[~late].tolist(), lead))
    return [None if is_late else next(ranked) for is_late in late.tolist()]


def _line(
    state: LeaderboardState,
    rank: int | None,
    run: Run,
    span: IntervalBar | None,
    unjudged: float,
    answered: int,
    row: tuple[ScoreCell, ...],
) -> LeaderboardRow:
    at = state.measures.index(state.lead)
    others = [cell for index, cell in enumerate(row) if index != at]
    return LeaderboardRow(
        rank,
        run,
        getattr(run, "after_release", None) is not None,
        getattr(run, "pool_count", 0),
        span,
        unjudged,
        answered,
        list(row),
        row[at],
        others,
    )


def _in_order(lines: list[LeaderboardRow], state: LeaderboardState) -> list[LeaderboardRow]:
    """Return the rows in the order of the state, equal rows by tag, late runs below the others."""
    by_tag = sorted(lines, key=lambda line: line.run.tag)
    in_order = sorted(by_tag, key=lambda line: _sort_key(line, state), reverse=state.descending)
    return sorted(in_order, key=lambda line: line.late)


def _sort_key(line: LeaderboardRow, state: LeaderboardState) -> str | float:
    if state.order in TEXT_COLUMNS:
        return {"run": line.run.tag, "group": line.run.group, "kind": line.run.kind}[state.order].casefold()
    if state.order == UNJUDGED:
        return line.unjudged
    return line.cells[state.measures.index(state.order)].value


def leaderboard_heads(table: ScoreTable, state: LeaderboardState) -> dict[str, list[ColumnHead]]:
    """Return the column heads: text columns, Unjudged@10, the leading measure, the other measures."""
    meanings = {measure.name: measure.meaning for measure in table.measures}
    return {
        "words": column_heads(state, [(word, "") for word in TEXT_COLUMNS]),
        "unjudged": column_heads(state, [(UNJUDGED, meanings[UNJUDGED])]),
        "lead": column_heads(state, [(state.lead, meanings[state.lead])]),
        "others": column_heads(
            state, [(name, meanings[name]) for name in state.measures if name != state.lead]
        ),
    }

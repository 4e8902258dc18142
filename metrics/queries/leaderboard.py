"""The leaderboard of a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from metrics.leaderboard import (
    NO_MEAN,
    TEXT_COLUMNS,
    UNJUDGED,
    Axis,
    ColumnHead,
    FigureColumn,
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

figure_columns: list[Callable[[Sequence[Run]], Sequence[FigureColumn]]] = []
"""Functions that return the columns which a package offers for these runs; none where no run has a figure."""


class ScoreCell(NamedTuple):
    value: float
    best: bool


class FigureCell(NamedTuple):
    """A figure of a run that is no score. value, text: None and "" where the run has none."""

    value: float | None
    text: str
    best: bool


class LeaderboardRow(NamedTuple):
    """A run on the leaderboard. rank, lead, span: on the leading measure. cells: of every measure.

    rank: None if no value of the leading measure is better than another, and for a run that was submitted
    after a release: `late`. Such rows stand below the others. others: the cells of the other measures. pools:
    the number of frozen pools that the run is in, 0 if not counted. answered: the number of topics of the
    release that the run answers; `unjudged` is the mean over these. figures: of the chosen columns.
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
    figures: list[FigureCell]


class Leaderboard(NamedTuple):
    """The leaderboard. measures: the columns. lead: the measure with intervals, drawn on `scale`.

    no_interval: why there are no intervals, "" otherwise. best_only: whether only the best run of each group
    is shown. hidden: number of runs left out, because a document of their first 10 is not judged. lower: the
    measures and figures of which lower values are better. unranked: the measures of which no value is better
    than another. figures: the chosen columns.
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
    figures: Sequence[FigureColumn]

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
    figures = [_figure_cells(column, table.runs, late) for column in state.figures]
    of_runs = [list(cells) for cells in zip(*figures, strict=True)] or [[] for _ in table.runs]
    places = _places(means, lead, late)
    unjudged = table.of(UNJUDGED)[1], table.answered.tolist()
    rows = zip(places, table.runs, bars, *unjudged, zip(*columns, strict=True), of_runs, strict=True)
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
        [measure.name for measure in shown if measure.direction == "lower"]
        + [column.name for column in state.figures if column.direction == "lower"],
        [measure.name for measure in shown if measure.direction == "neither"],
        state.figures,
    )


def _cells(means: list[float], measure: Measure, late: Flags) -> list[ScoreCell]:
    best = np.zeros(len(means), dtype=bool)
    best[~late] = is_best(np.array(means)[~late], measure.direction)
    return [ScoreCell(mean, is_the_best) for mean, is_the_best in zip(means, best.tolist(), strict=True)]


def _figure_cells(column: FigureColumn, runs: Sequence[Run], late: Flags) -> list[FigureCell]:
    """Return the cells of a figure; the best is that of the runs that are not late, as of scores."""
    ranked = [run.pk for run, is_late in zip(runs, late.tolist(), strict=True) if not is_late]
    known = [run for run in ranked if run in column.values]
    flags = is_best(np.array([column.values[run] for run in known]), column.direction) if known else ()
    best = {run for run, is_the_best in zip(known, flags, strict=True) if is_the_best}
    return [
        FigureCell(column.values.get(run.pk), column.texts.get(run.pk, ""), run.pk in best) for run in runs
    ]


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
    figures: list[FigureCell],
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
        figures,
    )


def _in_order(lines: list[LeaderboardRow], state: LeaderboardState) -> list[LeaderboardRow]:
    """Return the rows in the order of the state, equal rows by tag, late runs below the others.

    Runs without the figure by which the rows are sorted stand below those with one, in both directions.
    """
    by_tag = sorted(lines, key=lambda line: line.run.tag)
    keyed = [(_sort_key(line, state), line) for line in by_tag]
    known = [(key, line) for key, line in keyed if key is not None]
    in_order = sorted(known, key=itemgetter(0), reverse=state.descending)
    without = [line for key, line in keyed if key is None]
    return sorted([*(line for _, line in in_order), *without], key=lambda line: line.late)


def _sort_key(line: LeaderboardRow, state: LeaderboardState) -> str | float | None:
    for column, cell in zip(state.figures, line.figures, strict=True):
        if column.key == state.order:
            return cell.value
    if state.order in TEXT_COLUMNS:
        return {"run": line.run.tag, "group": line.run.group, "kind": line.run.kind}[state.order].casefold()
    if state.order == UNJUDGED:
        return line.unjudged
    return line.cells[state.measures.index(state.order)].value


def leaderboard_heads(table: ScoreTable, state: LeaderboardState) -> dict[str, list[ColumnHead]]:
    """Return the column heads: text columns, Unjudged@10, the leading and the other measures, figures."""
    meanings = {measure.name: measure.meaning for measure in table.measures}
    return {
        "words": column_heads(state, [(word, "") for word in TEXT_COLUMNS]),
        "unjudged": column_heads(state, [(UNJUDGED, meanings[UNJUDGED])]),
        "lead": column_heads(state, [(state.lead, meanings[state.lead])]),
        "others": column_heads(
            state, [(name, meanings[name]) for name in state.measures if name != state.lead]
        ),
        "figures": [
            head._replace(name=column.name)
            for column, head in zip(
                state.figures,
                column_heads(state, [(column.key, column.meaning) for column in state.figures]),
                strict=True,
            )
        ],
    }


def offered_figures(table: ScoreTable) -> list[FigureColumn]:
    """Return the figures that feature packages offer as columns for the runs of a table."""
    return [column for columns_of in figure_columns for column in columns_of(table.runs)]

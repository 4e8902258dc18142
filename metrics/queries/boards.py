"""The leaderboard of a release."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.boards import (
    NO_MEAN,
    UNJUDGED,
    WORDS,
    Head,
    Look,
    Scale,
    Span,
    best_of_groups,
    heads_of,
    shown_ranks,
    spans_of,
)
from metrics.measure import Measure
from metrics.queries.scores import Field
from metrics.ranking import is_best
from pooling.models import Run


class Cell(NamedTuple):
    value: float
    best: bool


class Line(NamedTuple):
    """A run on the leaderboard. rank, lead, span: on the leading measure. cells: of every measure.

    rank: None if no value of the leading measure is better than another. others: the cells of the other
    measures. pools: the number of frozen pools that the run is in, 0 if not counted.
    """

    rank: int | None
    run: Run
    pools: int
    span: Span | None
    unjudged: float
    cells: list[Cell]
    lead: Cell
    others: list[Cell]


class Leaderboard(NamedTuple):
    """The leaderboard. measures: the columns. lead: the measure with intervals, drawn on `scale`.

    no_interval: why there are no intervals, "" otherwise. best_only: whether only the best run of each group
    is shown. lower: the measures of which lower values are better. unranked: the measures of which no value
    is better than another.
    """

    measures: list[str]
    lead: str
    lines: list[Line]
    scale: Scale | None
    no_interval: str
    best_only: bool
    lower: list[str]
    unranked: list[str]

    @property
    def lead_is_mean(self) -> bool:
        """Whether the leading measure is a mean over topics, and not a sum or a micro average."""
        return self.no_interval != NO_MEAN


def leaderboard(table: Field, state: Look) -> Leaderboard:
    """Return the leaderboard in a state. table: scored on the state's measures and on UNJUDGED."""
    values, means = table.of(state.lead)
    lead, shown = table.measure(state.lead), [table.measure(name) for name in state.measures]
    spans = spans_of(lead, values, means)
    found, scale = (spans[0], spans[1]) if not isinstance(spans, str) else ([None] * len(means), None)
    columns = [_cells(table.of(measure.name)[1], measure) for measure in shown]
    places = shown_ranks(means, lead)
    rows = zip(places, table.runs, found, table.of(UNJUDGED)[1], zip(*columns, strict=True), strict=True)
    lines = [_line(state, *row) for row in rows]
    best_only = state.best_only and lead.direction != "neither"
    if best_only:
        lines = best_of_groups(lines, lambda line: line.run.group, lambda line: line.rank or 0)
    return Leaderboard(
        list(state.measures),
        state.lead,
        sorted(_by_tag(lines, state), key=lambda line: _sort_key(line, state), reverse=state.descending),
        scale,
        spans if isinstance(spans, str) else "",
        best_only,
        [measure.name for measure in shown if measure.direction == "lower"],
        [measure.name for measure in shown if measure.direction == "neither"],
    )


def _cells(means: list[float], measure: Measure) -> list[Cell]:
    best = is_best(np.array(means), measure.direction).tolist()
    return [Cell(mean, is_the_best) for mean, is_the_best in zip(means, best, strict=True)]


def _line(
    state: Look, rank: int | None, run: Run, span: Span | None, unjudged: float, row: tuple[Cell, ...]
) -> Line:
    at = state.measures.index(state.lead)
    others = [cell for place, cell in enumerate(row) if place != at]
    return Line(rank, run, getattr(run, "pool_count", 0), span, unjudged, list(row), row[at], others)


def _by_tag(lines: list[Line], state: Look) -> list[Line]:
    """Return the rows by tag: the next sort is stable, so that equal rows stay in this order."""
    return sorted(lines, key=lambda line: line.run.tag)


def _sort_key(line: Line, state: Look) -> str | float:
    if state.order in WORDS:
        return {"run": line.run.tag, "group": line.run.group, "kind": line.run.kind}[state.order].casefold()
    if state.order == UNJUDGED:
        return line.unjudged
    return line.cells[state.measures.index(state.order)].value


def heads(table: Field, state: Look) -> dict[str, list[Head]]:
    """Return the column heads: text columns, Unjudged@10, the leading measure, the other measures."""
    meanings = {measure.name: measure.meaning for measure in table.measures}
    return {
        "words": heads_of(state, [(word, "") for word in WORDS]),
        "unjudged": heads_of(state, [(UNJUDGED, meanings[UNJUDGED])]),
        "lead": heads_of(state, [(state.lead, meanings[state.lead])]),
        "others": heads_of(state, [(name, meanings[name]) for name in state.measures if name != state.lead]),
    }

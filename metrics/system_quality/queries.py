"""The runs of a page with their figures, their scores, and which of them no other run dominates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from metrics.leaderboard import FigureColumn
from metrics.measures.base import Measure
from metrics.models import SystemFigures
from metrics.queries.scores import ScoreTable
from metrics.system_quality.front import undominated
from metrics.system_quality.plot import CostPoint, cost_plot
from metrics.system_quality.quantities import QUANTITIES, Cost, RunFigures, Unit, costs_of, figure_text
from pooling.models import Run

COLUMNS = ("run", "group", *QUANTITIES, "currency", "hardware", "origin")


class QualityLine(NamedTuple):
    """A run. stored: its figures, None without any. score: its mean on the measure, None without a release.

    cost: in the unit of the quantity, None if it has no such figure.
    """

    run: Run
    stored: SystemFigures | None
    score: float | None
    cost: float | None
    is_undominated: bool = False

    @property
    def figures(self) -> RunFigures | None:
        return figures_of(self.stored) if self.stored else None


class CostColumn(NamedTuple):
    """A cost, and the unit in which the page shows it."""

    cost: Cost
    unit: Unit

    @property
    def lower(self) -> bool:
        return self.cost.quantity.direction == "lower"

    @property
    def name(self) -> str:
        return f"{self.cost.quantity.name} ({self.unit.name})"

    def text_of(self, figures: RunFigures | None) -> str:
        value = self.cost.value_of(figures)
        return "" if value is None else figure_text(value * self.unit.factor)


class SystemQuality(NamedTuple):
    """What the page shows. columns: a cost each. chosen: the cost of the plot, None where no run has figures.

    lines: of the runs of the group, those with the chosen cost first, the cheapest first. measure: None
    without a release.
    """

    columns: list[CostColumn]
    chosen: CostColumn | None
    measure: Measure | None
    groups: list[str]
    group: str
    lines: list[QualityLine]
    topics: int

    @property
    def compared(self) -> list[QualityLine]:
        """The runs with the chosen cost and a score."""
        return [line for line in self.lines if line.cost is not None and line.score is not None]

    @property
    def front(self) -> list[QualityLine]:
        """The runs that no other run dominates, the cheapest first."""
        return [line for line in self.lines if line.is_undominated]

    @property
    def has_front(self) -> bool:
        return self.measure is not None and self.measure.direction != "neither"

    @property
    def with_figures(self) -> list[tuple[QualityLine, list[str]]]:
        """The runs with figures, each with the texts of its cells."""
        return [
            (line, [column.text_of(line.figures) for column in self.columns])
            for line in self.lines
            if line.figures and line.figures.values
        ]

    @property
    def without(self) -> list[QualityLine]:
        """The runs without the chosen cost."""
        return [line for line in self.lines if line.cost is None]

    @property
    def hardware(self) -> list[str]:
        """The hardware of the runs that are compared."""
        return sorted({line.stored.hardware for line in self.compared if line.stored} - {""})

    @property
    def plot(self) -> Any:
        """The plot, None where there is no run to compare."""
        if self.chosen is None or self.measure is None or not self.compared:
            return None
        factor = self.chosen.unit.factor
        points = [
            CostPoint(line.run.tag, line.run.group, line.cost * factor, line.score, line.is_undominated)
            for line in self.compared
            if line.cost is not None and line.score is not None
        ]
        return cost_plot(self.measure, self.chosen.cost, self.chosen.unit, points, self.topics, self.group)


class Asked(NamedTuple):
    """What an address asks for: the key of a cost, and a group; "" or unknown for the default."""

    cost: str = ""
    group: str = ""


def figures_of(stored: SystemFigures) -> RunFigures:
    return RunFigures(stored.figures, stored.currency, stored.hardware)


def scored_quality(table: ScoreTable, measure: Measure, asked: Asked) -> SystemQuality:
    """Return the quality of the runs of a table of scores."""
    return _quality(table.runs, table.of(measure.name)[1], measure, len(table.topics), asked)


def unscored_quality(runs: Sequence[Run], asked: Asked) -> SystemQuality:
    """Return the quality of runs before there is a release."""
    return _quality(runs, [None] * len(runs), None, 0, asked)


def _quality(
    runs: Sequence[Run], scores: Sequence[float | None], measure: Measure | None, topics: int, asked: Asked
) -> SystemQuality:
    stored = _stored(runs)
    columns = list(_columns([figures_of(row) for row in stored.values()]))
    chosen = next((each for each in columns if each.cost.key == asked.cost), columns[0] if columns else None)
    groups = sorted({run.group for run in runs if run.group})
    group = asked.group if asked.group in groups else ""
    lines = []
    for run, score in zip(runs, scores, strict=True):
        row = stored.get(run.pk)
        cost = chosen.cost.value_of(figures_of(row)) if chosen and row else None
        if not group or run.group == group:
            lines.append(QualityLine(run, row, score, cost))
    lines = _marked(lines, measure, chosen)
    return SystemQuality(columns, chosen, measure, groups, group, lines, topics)


def _stored(runs: Sequence[Run]) -> dict[int, SystemFigures]:
    """Return key of a run -> its figures."""
    return {row.run_id: row for row in SystemFigures.objects.filter(run__in=runs)}


def leaderboard_columns(runs: Sequence[Run]) -> list[FigureColumn]:
    """Return the figures of these runs as columns of the leaderboard, a cost each."""
    figures = {run: figures_of(row) for run, row in _stored(runs).items()}
    columns = []
    for column in _columns(list(figures.values())):
        values = {run: column.cost.value_of(each) for run, each in figures.items()}
        known = {run: value for run, value in values.items() if value is not None}
        texts = {run: column.text_of(figures[run]) for run in known}
        about = column.cost.quantity
        columns.append(
            FigureColumn(column.cost.key, column.name, about.meaning, about.direction, known, texts)
        )
    return columns


def _columns(figures: list[RunFigures]) -> Iterator[CostColumn]:
    for cost in costs_of(figures):
        values = [value for each in figures if (value := cost.value_of(each)) is not None]
        yield CostColumn(cost, cost.unit_for(values))


def _marked(
    lines: list[QualityLine], measure: Measure | None, chosen: CostColumn | None
) -> list[QualityLine]:
    """Return the lines in order, those of the front marked."""
    if chosen is None:
        return lines
    sign = 1 if chosen.lower else -1
    worse = 1 if measure and measure.direction == "lower" else -1
    priced = [line for line in lines if line.cost is not None]
    priced.sort(key=lambda line: (sign * (line.cost or 0), worse * (line.score or 0), line.run.tag))
    if priced and measure and measure.direction != "neither":
        scores, costs = [line.score or 0.0 for line in priced], [line.cost or 0.0 for line in priced]
        flags = undominated(scores, costs, measure.direction, chosen.cost.quantity.direction)
        priced = [
            line._replace(is_undominated=flag) for line, flag in zip(priced, flags.tolist(), strict=True)
        ]
    return [*priced, *(line for line in lines if line.cost is None)]


def file_columns(quality: SystemQuality) -> list[str]:
    """Return the columns of the file: those of a table that can be loaded again, the score, the front."""
    scored = [quality.measure.name] if quality.measure else []
    return [*COLUMNS, *scored, "undominated"]


def file_rows(quality: SystemQuality) -> Iterator[dict[str, Any]]:
    """Yield a row for each run, with all digits; "" where there is no value."""
    for line in quality.lines:
        figures = line.figures or RunFigures({})
        row: dict[str, Any] = {"run": line.run.tag, "group": line.run.group}
        row |= {key: figures.values.get(key, "") for key in QUANTITIES}
        row |= {"currency": figures.currency, "hardware": figures.hardware}
        row["origin"] = line.stored.origin if line.stored else ""
        if quality.measure:
            row[quality.measure.name] = line.score
        compared = quality.has_front and line.cost is not None
        yield row | {"undominated": int(line.is_undominated) if compared else ""}

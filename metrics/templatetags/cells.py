"""Cells of the tables of scores. Thousands of cells take a template loop 60 ms and `score_cells` 4 ms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from metrics.leaderboard import BAR_WIDTH, IntervalBar
from metrics.measures.base import MeasureKind
from metrics.queries.leaderboard import FigureCell, ScoreCell
from pooling.templatetags.parts import score

register = template.Library()


@register.simple_tag
def score_cells(cells: Iterable[ScoreCell]) -> SafeString:
    """Table cells of scores; the best of a column is bold, and the first has a line on its left."""
    rows = [f'<td class="number{" best" if cell.best else ""}">{score(cell.value)}</td>' for cell in cells]
    return mark_safe("".join(rows).replace('class="number', 'class="number rule', 1))


@register.simple_tag
def figure_cells(cells: Iterable[FigureCell]) -> SafeString:
    """Table cells of figures that are no scores; an empty cell where a run has none."""
    rows = (("number best" if cell.best else "number", cell.text) for cell in cells)
    html = format_html_join("", '<td class="{}">{}</td>', rows)
    return mark_safe(html.replace('class="number', 'class="number rule', 1))


@register.inclusion_tag("metrics/parts/_interval.html")
def interval_plot(span: IntervalBar, zero: str = "") -> dict[str, Any]:
    """A mean and its interval on an axis. zero: the place of the zero, if it is to be shown."""
    return {"span": span, "zero": zero, "width": BAR_WIDTH}


@register.filter
def chance(value: float | None) -> str:
    """A p value with four digits; values that would be rounded to 0 are shown as a bound."""
    if value is None:
        return "undefined"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


@register.filter
def at(values: Sequence[Any], index: int) -> Any:
    """The value at an index."""
    return values[index]


@register.filter
def range_of(kind: MeasureKind) -> str:
    """The range of values of a measure, in words."""
    if kind.low == 0:
        return "0 to 1" if kind.high == 1 else "from 0"
    return "any number"

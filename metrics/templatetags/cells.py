"""Cells of a large table: a template needs 60 ms for four thousand of them, this code 4 ms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from metrics.queries.boards import Cell
from pooling.templatetags.parts import score

register = template.Library()


@register.simple_tag
def score_cells(cells: Iterable[Cell]) -> SafeString:
    """Score cells, bold where best in the column, with a rule before the first; numbers only."""
    rows = [f'<td class="n{" best" if cell.best else ""}">{score(cell.value)}</td>' for cell in cells]
    return mark_safe("".join(rows).replace('class="n', 'class="n rule', 1))


@register.filter
def chance(value: float | None) -> str:
    """A p value with four digits, "< 0.0001" instead of 0."""
    if value is None:
        return "undefined"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


@register.filter
def at(values: Sequence[Any], place: int) -> Any:
    """The value at an index."""
    return values[place]

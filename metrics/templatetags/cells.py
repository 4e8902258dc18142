"""Cells of a large table. Four thousand of them take a template 60 ms, and this 4."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from metrics.measure import Kind
from metrics.queries.boards import Cell
from pooling.templatetags.parts import score

register = template.Library()


@register.simple_tag
def score_cells(cells: Iterable[Cell]) -> SafeString:
    """Scores side by side, the best of a column bold, a rule before the first; nothing but numbers in it."""
    rows = [f'<td class="number{" best" if cell.best else ""}">{score(cell.value)}</td>' for cell in cells]
    return mark_safe("".join(rows).replace('class="number', 'class="number rule', 1))


@register.filter
def chance(value: float | None) -> str:
    """A p value: four digits, and never a plain 0."""
    if value is None:
        return "undefined"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


@register.filter
def at(values: Sequence[Any], place: int) -> Any:
    """The value at a place."""
    return values[place]


@register.filter
def range_of(kind: Kind) -> str:
    """Between which values a measure lies."""
    if kind.low == 0:
        return "0 to 1" if kind.high == 1 else "from 0"
    return "any number"

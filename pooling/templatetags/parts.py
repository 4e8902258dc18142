"""The parts that every page is made of: icons, grades, and how figures are written."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pooling.scale import Grade

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """One stroke icon of the sprite in base.html; a word always stands beside it."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def gauge(grades: Sequence[Grade], relevance: int | None, number: bool = True) -> SafeString:
    """A grade as a vessel filled to its share of the scale, and its number; crossed out without a grade."""
    if relevance is None:
        return format_html('<span class="g g-x" title="cannot judge">{}</span>', "×")
    step = next((step for step, grade in enumerate(grades) if grade.value == relevance), 0)
    return format_html('<span class="g g-{}">{}</span>', step, relevance if number else "")


@register.filter
def score(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


@register.filter
def coefficient(value: float | None) -> str:
    """An undefined coefficient says so: it is never an empty cell and never a zero."""
    return "undefined" if value is None else f"{value:.3f}".replace("-", "−")


@register.filter
def heat(value: float | None) -> int:
    """The shade of a cell, 0 to 6, for a coefficient or a share from 0 to 1."""
    return 0 if value is None else min(6, max(0, round(value * 6)))


@register.filter
def share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}".replace("%", " %") if whole else "none"

"""The parts that every page is made of: icons, grades, and how figures are written."""

from __future__ import annotations

import json as as_json
import secrets
from collections.abc import Sequence
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from pooling.scale import Grade
from pooling.strategies.registry import strategy_in_words
from pooling.version import VERSION

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """One stroke icon of the sprite in base.html; a word always stands beside it."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def lang(tag: str) -> SafeString:
    """The attribute `lang` of an element whose text has this language; nothing if it is not known."""
    return format_html('lang="{}"', tag) if tag else SafeString()


@register.simple_tag
def software_version() -> str:
    return VERSION


@register.simple_tag
def grade_symbol(grades: Sequence[Grade], relevance: int | None, number: bool = True) -> SafeString:
    """A symbol filled to the share of the scale that a grade has, and the grade; crossed out for None."""
    if relevance is None:
        return format_html(
            '<span class="grade-symbol grade-symbol-cannot-judge" title="cannot judge">{}</span>', "×"
        )
    step = next((step for step, grade in enumerate(grades) if grade.value == relevance), 0)
    return format_html(
        '<span class="grade-symbol grade-symbol-{}">{}</span>', step, relevance if number else ""
    )


@register.simple_tag
def request_key() -> SafeString:
    """A hidden field by which the server recognises the second request of a double press."""
    return format_html('<input type="hidden" name="request_key" value="{}">', secrets.token_urlsafe(16))


@register.filter
def score(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


@register.filter
def signed(value: float) -> str:
    """A difference, with its sign."""
    return f"{value:+.4f}".replace("-", "−")


@register.filter
def coefficient(value: float | None) -> str:
    """An undefined coefficient says so: it is never an empty cell and never a zero."""
    return "undefined" if value is None else f"{value:.3f}".replace("-", "−")


@register.filter
def unjudged_class(value: float | None) -> str:
    """The CSS class of a share of unjudged documents: a caution from 0.1, a warning from 0.2, else none."""
    value = value or 0
    return "alert" if value >= 0.2 else "warning" if value >= 0.1 else ""


SHADES = [SafeString(number) for number in range(7)]  # made once: thousands stand on a page


@register.filter
def shade(value: float | None) -> SafeString:
    """The shade of a cell, 0 to 6, for a coefficient or a share from 0 to 1."""
    return SHADES[0 if value is None else min(6, max(0, round(value * 6)))]


@register.filter
def share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}".replace("%", " %") if whole else "none"


@register.filter
def hours(value: float) -> str:
    """A stretch of work, as people say it.

    >>> hours(0.25), hours(2.46), hours(90)
    ('15 min', '2.5 h', '90 h')
    """
    if value < 1:
        return f"{max(1, round(value * 60))} min"
    return f"{value:.1f} h" if value < 10 else f"{value:,.0f} h"


@register.filter
def json(value: Any) -> str:
    """JSON for an attribute; script elements, even of data, htmx takes out of what it swaps in."""
    return as_json.dumps(value)


@register.simple_block_tag
def empty_state(content: str, title: str) -> SafeString:
    """What a page shows instead of an empty table: a title, and the text that says what to do."""
    return mark_safe(render_to_string("_empty_state.html", {"title": title, "content": content}))


@register.simple_block_tag
def fact(content: str, name: str) -> SafeString:
    """A row of a list of facts: <dl class="facts">."""
    return format_html("<dt>{}</dt><dd>{}</dd>", name, content)


@register.simple_block_tag
def warning(content: str) -> SafeString:
    """A sentence of a list of warnings: <ul class="icon-list">."""
    return format_html('<li class="warning">{}<span>{}</span></li>', icon("warning"), content)


@register.simple_block_tag
def table(content: str, caption: str, size: str = "", style: str = "", sortable: bool = False) -> SafeString:
    """A table in a box that scrolls, by keyboard too; its caption is read by screen readers.

    size: classes of the box (`tall`, `short`, `fit`).
    style: classes of the table (`high-rows`, `narrow-cells`, `shaded`).
    sortable: whether sortable_tables.js adds sorting and filters.

    {% table "Runs" size="tall" style="narrow-cells" %}<thead>...</thead><tbody>...</tbody>{% endtable %}
    """
    return format_html(
        '<div class="scroll{}" role="region" aria-label="{}" tabindex="0"><table{}{}>'
        '<caption class="visually-hidden">{}</caption>{}</table></div>',
        f" {size}" if size else "",
        caption,
        format_html(' class="{}"', style) if style else "",
        mark_safe(" data-sortable") if sortable else "",
        caption,
        content,
    )


@register.filter
def strategy_text(pool: Any) -> str:
    """The strategy of a pool or a plan with the values of its parameters, as text."""
    return strategy_in_words(pool.strategy, pool.parameters)

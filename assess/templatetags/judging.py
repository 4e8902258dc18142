"""Template filters for documents on the judging screen and for the progress table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from django import template
from django.utils.safestring import SafeString, mark_safe

from assess.models import Assignment
from assess.queries.cards import Card
from assess.queries.grids import Cell
from assess.sheet import Sheet, lay_out
from assess.standstill import ago
from assess.terms import Term

register = template.Library()


@register.filter
def sheet(card: Card, terms: Sequence[Term]) -> Sheet:
    """Return the layout of a document with its terms highlighted."""
    return lay_out(card.text, terms, card.title)


@register.filter
def page(sheet: Sheet) -> SafeString:
    """Return the HTML of a web page as safe: assess.webpage has sanitised it."""
    return mark_safe(sheet.html)  # noqa: S308


@register.filter
def evidence(card: Card) -> str:
    """Return the evidence of the judge's label as JSON, or "" without any or if the text was replaced."""
    quote = None if card.changed_since or not card.mine else card.mine.evidence
    return json.dumps(quote) if quote else ""


@register.filter
def ago_at(seen: datetime | None, now: datetime) -> str:
    """Return the time since a judge was last active, in words."""
    return ago(now - seen) if seen else "not active yet"


@register.filter
def in_words(cell: Cell, now: datetime) -> str:
    """Return the description of a cell of the progress table, for its tooltip."""
    part = Assignment.Part(cell.part).label if cell.part else "No longer assigned"
    words = [f"{part}: {cell.done:,} judged, {cell.left:,} left", f"{cell.relevant:,} relevant"]
    if cell.refused:
        words.append(f"{cell.refused:,} could not be judged")
    if cell.seconds is not None:
        words.append(f"median {cell.seconds:g} s")
    return ", ".join([*words, f"last active {ago_at(cell.seen, now)}" if cell.seen else "not active yet"])

"""What the judging screen shows of a document, and how the organiser's pages put figures into words."""

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
    return lay_out(card.text, terms, card.title)


@register.filter
def page(found: Sheet) -> SafeString:
    """A web page's own markup, which assess.webpage has cleaned and written anew."""
    return mark_safe(found.html)  # noqa: S308


@register.filter
def evidence(card: Card) -> str:
    """The evidence of the judge's label as JSON; empty if there is none, or if the text has changed since."""
    found = None if card.changed_since or not card.mine else card.mine.evidence
    return json.dumps(found) if found else ""


@register.filter
def ago_at(seen: datetime | None, now: datetime) -> str:
    return ago(now - seen) if seen else "not seen yet"


@register.filter
def in_words(cell: Cell, now: datetime) -> str:
    """All that a cell of the grid knows, for whoever points at it."""
    part = Assignment.Part(cell.part).label if cell.part else "Has the topic no more"
    words = [f"{part}: {cell.done:,} done, {cell.left:,} left", f"{cell.relevant:,} relevant"]
    if cell.refused:
        words.append(f"{cell.refused:,} could not be judged")
    if cell.seconds is not None:
        words.append(f"median {cell.seconds:g} s")
    return ", ".join([*words, f"last seen {ago_at(cell.seen, now)}" if cell.seen else "not seen yet"])

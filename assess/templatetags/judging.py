"""Filters of the judging screen and of the organiser's pages about judging."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import template
from django.template.defaultfilters import pluralize
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from assess.document.highlighting import Term, TextSpan
from assess.document.layout import DocumentView, document_view
from assess.forecast import time_ago
from assess.forms.assignments import ROLES
from assess.judge_checks import Flag
from assess.models import Assignment, InvitedTopics, QrelsRelease
from assess.queries.assignments import why_not_discarded
from assess.queries.judging import Card
from assess.queries.progress import Cell
from assess.release.sources import in_words
from pooling.models import Campaign, Invitation, Topic
from pooling.scale import Grade
from pooling.words import enumeration

register = template.Library()
register.filter(enumeration)
register.simple_tag(why_not_discarded)
register.filter("sources_in_words", in_words)


@register.filter
def sheet(card: Card, terms: Sequence[Term]) -> DocumentView:
    """Return the layout of a document with its terms highlighted."""
    return document_view(card.text, terms, card.title, card.images)


@register.filter
def page(sheet: DocumentView) -> SafeString:
    """Return the HTML of a web page as safe: assess.document.webpage has sanitised it."""
    return mark_safe(sheet.html)  # noqa: S308


@register.filter
def marked(spans: Iterable[TextSpan], prefix: str = "") -> SafeString:
    """Return a text with the terms of the topic marked. prefix: of the numbers of its hits."""
    mark = '<mark class="term-{}" data-hit="{}">{}</mark>'
    parts = (
        format_html(mark, span.term.colour, f"{prefix}{span.hit}", span.text)
        if span.term
        else escape(span.text)
        for span in spans
    )
    return mark_safe("".join(parts))  # noqa: S308


@register.filter
def evidence(card: Card) -> str:
    """Return the evidence of the judge's label as JSON, or "" without any or if the text was replaced."""
    quote = None if card.changed_since or not card.mine else card.mine.evidence
    return json.dumps(quote) if quote else ""


@register.filter
def grade_label(value: int, grades: Iterable[Grade]) -> str:
    """Return the name of a grade; "" for one that is not on the scale."""
    return next((grade.label for grade in grades if grade.value == value), "")


class Share(NamedTuple):
    """A grade in a bar of grades. step: its place in the scale; start, width: in percent of the bar."""

    step: str
    value: int | None
    label: str
    labels: int
    start: float
    width: float


@register.inclusion_tag("assess/parts/_grade_bar.html")
def grade_bar(campaign: Campaign, counts: Mapping[int | None, int], small: bool = False) -> dict[str, Any]:
    """Show how many labels have each grade: a stacked bar and a legend."""
    total = sum(counts.values())
    steps: list[tuple[str, int | None, str]] = [
        (f"{step}", grade.value, grade.label) for step, grade in enumerate(campaign.grades)
    ]
    shares, start = [], 0.0
    for step, value, label in [*steps, ("none", None, "Cannot judge")]:
        width = 100 * counts.get(value, 0) / total if total else 0.0
        shares.append(Share(step, value, label, counts.get(value, 0), round(start, 2), round(width, 2)))
        start += width
    legend = [*reversed(shares[:-1]), *(shares[-1:] if counts.get(None) else ())]
    return {"campaign": campaign, "shares": shares, "legend": legend, "total": total, "small": small}


@register.filter
def ago_at(last_label: datetime | None, now: datetime) -> str:
    """Return the time since a judge's last label, in words."""
    return time_ago(now - last_label) if last_label else "no label yet"


@register.filter
def role(part: str) -> str:
    """Return the role of a judge in a topic, in lower case.

    >>> role("second")
    'second judge'
    """
    return ROLES[Assignment.Part(part)].lower()


@register.filter
def description(cell: Cell, now: datetime) -> str:
    """All figures of a cell of the progress table, for its tooltip."""
    name = ROLES[Assignment.Part(cell.part)] if cell.part else "No longer assigned"
    words = [f"{name}: {cell.done:,} judged, {cell.left:,} left", f"{cell.relevant:,} relevant"]
    if cell.refused:
        words.append(f"{cell.refused:,} cannot judge")
    if cell.seconds is not None:
        words.append(f"mean {cell.seconds:.3g} s per label")
    if cell.last_label or not cell.done:
        words.append(f"last label {ago_at(cell.last_label, now)}" if cell.last_label else "no label yet")
    return ", ".join(words)


@register.filter
def topic_numbers(topics: Iterable[Topic]) -> str:
    """The numbers of the first topics, and how many more there are."""
    return enumeration(topic.number for topic in topics)


@register.filter
def topic_titles(topics: Iterable[Topic]) -> str:
    """The numbers and titles of the first topics, and how many more there are."""
    return enumeration(topics, separator="; ")


@register.filter
def group_and_topics(invitation: Invitation) -> str:
    """The end of the sentence that says what an invitation is for, with its period."""
    group = f" of {invitation.group}" if invitation.group else ""
    invited = InvitedTopics.objects.filter(invitation=invitation).first()
    if invited is None:
        return f"{group}."
    topics = list(invited.topics.all())
    sentence = f"{group} for {len(topics)} topic{pluralize(len(topics))}: {topic_titles(topics)}"
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


@register.filter
def label_range(flag: Flag) -> str:
    """The query of the page of labels that highlights those of a flag; the page counts from 1."""
    return urlencode({"from": flag.start + 1, "to": flag.stop})


@register.filter
def change_query(release: QrelsRelease) -> str:
    """The query of the page that compares a release with the one before it."""
    return urlencode({"first": release.number - 1, "second": release.number})

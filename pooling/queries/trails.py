"""Entries of the audit log of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from pooling.models import Campaign, TrailEntry, TrailQuerySet
from pooling.trail import without_grade

SHOWN = 50


class Trail(NamedTuple):
    """One page of the audit log, newest first. before: of the next page; None on the last one."""

    entries: list[TrailEntry]
    before: int | None


def trail_of(
    campaign: Campaign,
    who: str = "",
    verb: str = "",
    since: date | None = None,
    until: date | None = None,
) -> TrailQuerySet:
    """Return the entries, newest first, filtered by user name, verb, first and last day (UTC)."""
    entries = campaign.trail.all()
    if who:
        entries = entries.filter(who=who)
    if verb:
        entries = entries.filter(verb=verb)
    if since:
        entries = entries.filter(at__date__gte=since)
    if until:
        entries = entries.filter(at__date__lte=until)
    return entries


def trail_page(entries: TrailQuerySet, before: int | None = None) -> Trail:
    """Return the page of entries with numbers below `before`, so that new entries do not shift pages."""
    if before:
        entries = entries.filter(number__lt=before)
    found = list(entries.select_related("user")[: SHOWN + 1])
    for entry in found:
        entry.sentence = without_grade(entry.record)["sentence"]
    return Trail(found[:SHOWN], found[SHOWN - 1].number if len(found) > SHOWN else None)


def trail_lines(entries: TrailQuerySet) -> Iterator[str]:
    """Yield JSON Lines, oldest first, each with the stored hash of the entry."""
    for entry in entries.order_by("number").iterator():
        yield json.dumps(without_grade(entry.record) | {"seal": entry.seal}, ensure_ascii=False) + "\n"

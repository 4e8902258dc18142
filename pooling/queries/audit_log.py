"""Entries of the audit log of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import NamedTuple

from pooling.audit_log import without_grade
from pooling.models import AuditLogEntry, AuditLogQuerySet, Campaign
from pooling.schedule import zone_of

ENTRIES_A_PAGE = 50


class AuditLogPage(NamedTuple):
    """One page of the audit log, newest first. before: of the next page; None on the last one."""

    entries: list[AuditLogEntry]
    before: int | None


def audit_log_entries(
    campaign: Campaign,
    who: str = "",
    verb: str = "",
    since: date | None = None,
    until: date | None = None,
) -> AuditLogQuerySet:
    """Return the entries, newest first, filtered by user name, verb, first and last day in its zone."""
    entries = campaign.audit_log.all()
    if who:
        entries = entries.filter(who=who)
    if verb:
        entries = entries.filter(verb=verb)
    zone = zone_of(campaign.time_zone)
    if since:
        entries = entries.filter(at__gte=datetime.combine(since, time(), zone))
    if until:
        entries = entries.filter(at__lte=datetime.combine(until, time.max, zone))
    return entries


def audit_log_page(entries: AuditLogQuerySet, before: int | None = None) -> AuditLogPage:
    """Return the page of entries with numbers below `before`, so that new entries do not shift pages."""
    if before:
        entries = entries.filter(number__lt=before)
    fetched_entries = list(entries.select_related("user")[: ENTRIES_A_PAGE + 1])
    for entry in fetched_entries:
        entry.sentence = without_grade(entry.record)["sentence"]
    return AuditLogPage(
        fetched_entries[:ENTRIES_A_PAGE],
        fetched_entries[ENTRIES_A_PAGE - 1].number if len(fetched_entries) > ENTRIES_A_PAGE else None,
    )


def audit_log_lines(entries: AuditLogQuerySet) -> Iterator[str]:
    """Yield JSON Lines, oldest first, each with the stored hash of the entry."""
    for entry in entries.order_by("number").iterator():
        yield json.dumps(without_grade(entry.record) | {"seal": entry.chain_hash}, ensure_ascii=False) + "\n"

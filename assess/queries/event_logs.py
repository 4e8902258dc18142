"""What judges did, read once: events are only ever added, so later only those that are new are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from django.core.cache import cache
from django.db.models import Exists, OuterRef, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.models import User
from assess.event_columns import LAST, EventColumns, event_columns
from assess.models import JudgmentEvent, Probe, Return
from assess.queries.column_files import read_columns, write_columns
from assess.queries.keeping import HOUR, Kept
from pooling.models import Campaign, PooledDocument

REREAD = 1_000  # keys: of events that are stored at the same time, the later key may be there first
MANY = 10_000  # events, which take so long to read that they are left in a file for other processes
Newest = dict[int, tuple[int, int]]  # see `EventColumns.newest_by_topic`


class WhatCounts(NamedTuple):
    """What tells which events are labels: the last deed of an organiser, the events that were given back, and
    the documents that are probes."""

    deed: str
    returned: tuple[int, ...]
    probes: tuple[int, ...]


def newest_event(campaign: Campaign) -> int:
    """Return the key of the newest event, for telling whether something is out of date; 0 without any."""
    newest = JudgmentEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    key = f"newest-event-{campaign.pk}"
    seen, last = cache.get(key) or (0, 0)
    if seen != newest:
        seen, last = (seen, last) if seen < newest else (0, 0)
        since = events_since(campaign, seen - REREAD).order_by("-pk")
        last = since.values_list("pk", flat=True).first() or last
        cache.set(key, (newest, last), HOUR)
    return int(last)


def events_since(campaign: Campaign, key: int) -> QuerySet[JudgmentEvent]:
    """Return the events of a campaign after a key. The database goes through those events, and no others."""
    here = PooledDocument.objects.filter(pk=OuterRef("pooled"), pool__campaign=campaign)
    return JudgmentEvent.objects.filter(Exists(here), pk__gt=key)


def newest_deed(campaign: Campaign) -> str:
    """Return the seal of the last entry of the trail; empty without any.

    It tells all deeds until then: no other campaign, nor another life of this one, has the same.
    """
    return campaign.trail.order_by("-number").values_list("seal", flat=True).first() or ""


def log_of(campaign: Campaign) -> EventColumns:
    """Return everything that judges did so far.

    What was read before is checked after whatever an organiser did: a file of labels comes in long
    transactions.
    """
    trail, newest, key = newest_deed(campaign), newest_event(campaign), f"events-{campaign.pk}"
    found: tuple[str, int, EventColumns] | None = cache.get(key)
    if found and found[:2] == (trail, newest):
        return found[2]
    before = found[2] if found else _from_file(campaign)
    since = max(0, int(before.key.max(initial=0)) - REREAD)
    if found and found[0] == trail:
        since = _last_known(campaign, before, since)
        new = _read(campaign, since)
    else:
        new = _read(campaign, since)
        if not _stands(campaign, before, new, trail):
            since, new = 0, _read(campaign, 0)
    log = before.until(since).followed_by(new)
    if len(new.key) > MANY:
        write_columns(campaign, "events", log._asdict())
        _leave_count(campaign, int(log.key.max()), trail, len(log.key))
    cache.set(key, (trail, newest, log), HOUR)
    return log


def _from_file(campaign: Campaign) -> EventColumns:
    """Return the events that another process, or this one an hour ago, left in a file; none without."""
    nothing = event_columns([])
    found = read_columns(campaign, "events", nothing._asdict())
    return EventColumns(**found) if found else nothing


def _last_known(campaign: Campaign, log: EventColumns, since: int) -> int:
    """Return the last key, from `since` on, before the first event that the log does not have."""
    keys = events_since(campaign, since).order_by("pk").values_list("pk", flat=True)
    new = np.setdiff1d(np.fromiter(keys.iterator(), dtype=np.int64), log.key[log.key > since])
    return int(new.min(initial=LAST)) - 1


def _stands(campaign: Campaign, log: EventColumns, newest: EventColumns, deed: str) -> bool:
    """Tell whether these are the events that the database has, up to the last of them.

    Events are only added: as many as there were are the same. newest: the last of them, and what came after,
    as just read; they are compared, because a file may be of another database.
    """
    last = int(log.key.max(initial=0))
    again = newest.until(last)
    since = np.searchsorted(log.key, again.key.min(initial=last))
    return log.where(slice(since, None)).equals(again) and _counted(campaign, last, deed) == len(log.key)


def _counted(campaign: Campaign, last: int, deed: str) -> int:
    """Return how many events there are up to a key. An older one comes only with a deed of the organiser:
    until then, other processes find the number in a file."""
    if found := read_columns(campaign, "events-counted", {"events": np.zeros(1, np.int64)}, (last, deed)):
        return int(found["events"][0])
    pools = list(campaign.pools.values_list("pk", flat=True))  # by name: PostgreSQL joins few tables better
    counted = JudgmentEvent.objects.filter(pooled__pool__in=pools, pk__lte=last).count()
    if counted > MANY:
        _leave_count(campaign, last, deed, counted)
    return counted


def _leave_count(campaign: Campaign, last: int, deed: str, counted: int) -> None:
    write_columns(campaign, "events-counted", {"events": np.array([counted])}, (last, deed))


def _read(campaign: Campaign, since: int) -> EventColumns:
    rows = events_since(campaign, since).annotate(written=Cast("at", TextField()))
    fields = (
        "pk", "judge", "pooled__topic", "pooled", "relevance", "kind", "source", "active_seconds",
        "text_hash", "written",
    )  # fmt: skip
    return event_columns(rows.order_by("pk").values_list(*fields).iterator(chunk_size=10_000))


def standing_of(campaign: Campaign) -> EventColumns:
    """Return the events that are somebody's label of a document now, machines' too, by topic and document."""

    def renew(before: EventColumns, log: EventColumns, counted: WhatCounts, stale: list[int]) -> EventColumns:
        if not len(before.key):
            return log.standing(counted.returned, counted.probes)
        return before.exchanged(stale, _labels_on(log, counted, stale))

    return _renewed(campaign, "standing", None, event_columns([]), renew)


def of_topics(
    campaign: Campaign, name: str, besides: object, make: Callable[[EventColumns], Kept]
) -> dict[int, Kept]:
    """Return topic -> what was made of its standing labels; made anew only where an event came in since.

    The key of every topic in which anybody ever did something is there, ascending. name: without blanks, of
    what is made. besides: what else it is made of; when that changes, all is made anew.
    """

    def renew(
        before: dict[int, Kept], log: EventColumns, counted: WhatCounts, stale: list[int]
    ) -> dict[int, Kept]:
        labels = _labels_on(log, counted, stale) if before else standing_of(campaign)
        found = before | {topic: make(own) for topic, own in labels.parted(stale)}
        return dict(sorted(found.items()))

    nothing: dict[int, Kept] = {}
    return _renewed(campaign, f"of-topics-{name}", besides, nothing, renew)


def _renewed(
    campaign: Campaign,
    name: str,
    besides: object,
    nothing: Kept,
    renew: Callable[[Kept, EventColumns, WhatCounts, list[int]], Kept],
) -> Kept:
    """Return what is kept under a name, renewed if an event came in since.

    nothing: what there is before any event. renew: called with what there was, everything that judges did,
    what tells which of it are labels, and the topics in which an event came in.
    """
    key, counted, newest = f"{name}-{campaign.pk}", what_counts(campaign), newest_event(campaign)
    of = counted, besides
    found: tuple[object, int, Newest, Kept] | None = cache.get(key)
    if found and found[:2] == (of, newest):
        return found[3]
    log, before = log_of(campaign), found[2:] if found and found[0] == of else ({}, nothing)
    now = log.newest_by_topic()
    made = renew(before[1], log, counted, _stale(before[0], now))
    cache.set(key, (of, newest, now, made), HOUR)
    return made


def _labels_on(log: EventColumns, counted: WhatCounts, topics: list[int]) -> EventColumns:
    return log.on_topics(topics).standing(counted.returned, counted.probes)


def _stale(before: Newest, now: Newest) -> list[int]:
    """Return the topics in which an event came in between; none ever leaves."""
    return [topic for topic, newest in now.items() if before.get(topic) != newest]


def what_counts(campaign: Campaign) -> WhatCounts:
    returned, probes = Return.objects.order_by("pk"), Probe.objects.order_by("pk")  # anywhere: they are few
    given_back, set_apart = returned.values_list("event", flat=True), probes.values_list("pooled", flat=True)
    return WhatCounts(newest_deed(campaign), tuple(given_back), tuple(set_apart))


def events_of(campaign: Campaign, judge: User) -> EventColumns:
    """Return everything that one judge did."""
    log = log_of(campaign)
    return log.where(log.judge == judge.pk)


def labels_of(campaign: Campaign, judge: User) -> EventColumns:
    """Return the events that are one judge's labels now."""
    labels = standing_of(campaign)
    return labels.where(labels.judge == judge.pk)


def people_of(campaign: Campaign, log: EventColumns) -> EventColumns:
    """Return what people did, without the labels of machines."""
    machines = list(campaign.machines.values_list("user", flat=True))
    return log.where(~np.isin(log.judge, machines))

"""What judges did, read once: events are only ever added, so later only those that are new are read."""

from __future__ import annotations

from itertools import chain

import numpy as np
from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from assess.event_columns import REFUSED, EventColumns, Ints, event_columns
from assess.models import JudgmentEvent, Probe, QueueEntry, Return
from pooling.models import Campaign, PooledDocument

HOUR = 3600
REREAD = 1_000  # keys: of events that are stored at the same time, the later key may be there first


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


def log_of(campaign: Campaign) -> EventColumns:
    """Return everything that judges did so far.

    Read from the start again after whatever an organiser did: a file of labels comes in long transactions.
    """
    trail = campaign.trail.order_by("-number").values_list("number", flat=True).first()
    newest, key = newest_event(campaign), f"events-{campaign.pk}"
    of_trail, until, log = cache.get(key) or (None, 0, None)
    if of_trail == trail and until == newest and log is not None:
        return log  # type: ignore[no-any-return]
    if of_trail == trail and log is not None:
        since = until - REREAD
        log = log.where(log.key <= since).followed_by(_read(campaign, since))
    else:
        log = _read(campaign, 0)
    cache.set(key, (trail, newest, log), HOUR)
    return log


def _read(campaign: Campaign, since: int) -> EventColumns:
    rows = events_since(campaign, since).annotate(
        given=Coalesce("relevance", Value(REFUSED)),
        judging=Q(kind=QueueEntry.Kind.JUDGING),
        here=~Q(source="import"),
        seconds=Coalesce("active_seconds", Value(-1.0)),
    )
    fields = "pk", "judge", "pooled__topic", "pooled", "given", "judging", "here", "seconds"
    return event_columns(rows.order_by("pk").values_list(*fields).iterator(chunk_size=10_000))


def standing_of(campaign: Campaign) -> EventColumns:
    """Return the events that are somebody's label of a document now, machines' too."""
    return standing_in(log_of(campaign))


def standing_in(log: EventColumns) -> EventColumns:
    returned, probes = Return.objects.all(), Probe.objects.all()  # few: those of other campaigns do no harm
    return log.standing(returned.values_list("event", flat=True), probes.values_list("pooled", flat=True))


def people_of(campaign: Campaign, log: EventColumns) -> EventColumns:
    """Return what people did, without the labels of machines."""
    machines = list(campaign.machines.values_list("user", flat=True))
    return log.where(~np.isin(log.judge, machines))


def pools_of(campaign: Campaign, pooled: Ints) -> Ints:
    """Return the pool of each of these pooled documents. A frozen pool never changes: it is read once."""
    key = f"pools-{campaign.pk}-{campaign.pools.count()}"
    found: tuple[Ints, Ints] | None = cache.get(key)
    if found is None:
        rows = PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk").values_list("pk", "pool")
        pks, pools = np.fromiter(chain.from_iterable(rows.iterator()), dtype=np.int64).reshape(-1, 2).T
        found = pks.copy(), pools.copy()
        cache.set(key, found, HOUR)
    pks, pools = found
    return pools[np.searchsorted(pks, pooled)]

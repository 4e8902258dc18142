"""What judges did, read once: events are only ever added, so later only those that are new are read."""

from __future__ import annotations

import numpy as np
from django.core.cache import cache
from django.db.models import Exists, OuterRef, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.models import User
from assess.event_columns import Bools, EventColumns, Ints, event_columns, text_key
from assess.models import JudgmentEvent, Probe, Return
from assess.queries.column_files import read_columns, write_columns
from assess.queries.keeping import HOUR, kept
from pooling.models import Campaign, PooledDocument

REREAD = 1_000  # keys: of events that are stored at the same time, the later key may be there first
MANY = 10_000  # events, which take so long to read that they are left in a file for other processes


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


def newest_deed(campaign: Campaign) -> int:
    """Return the number of the last entry of the trail; 0 without any."""
    return campaign.trail.order_by("-number").values_list("number", flat=True).first() or 0


def log_of(campaign: Campaign) -> EventColumns:
    """Return everything that judges did so far.

    What was read before is checked after whatever an organiser did: a file of labels comes in long
    transactions.
    """
    trail, newest, key = newest_deed(campaign), newest_event(campaign), f"events-{campaign.pk}"
    found: tuple[int, int, EventColumns] | None = cache.get(key)
    if found and found[:2] == (trail, newest):
        return found[2]
    before = found[2] if found else _from_file(campaign)
    since = max(0, int(before.key.max(initial=0)) - REREAD)
    new = _read(campaign, since)
    if not (found and found[0] == trail) and not _stands(campaign, before, new):
        since, new = 0, _read(campaign, 0)
    log = before.until(since).followed_by(new)
    if len(new.key) > MANY:
        write_columns(campaign, "events", log._asdict())
    cache.set(key, (trail, newest, log), HOUR)
    return log


def _from_file(campaign: Campaign) -> EventColumns:
    """Return the events that another process, or this one an hour ago, left in a file; none without."""
    nothing = event_columns([])
    found = read_columns(campaign, "events", nothing._asdict())
    return EventColumns(**found) if found else nothing


def _stands(campaign: Campaign, log: EventColumns, newest: EventColumns) -> bool:
    """Tell whether these are the events that the database has, up to the last of them.

    Events are only added: as many as there were are the same. newest: the last of them, and what came after,
    as just read; they are compared, because a file may be of another database.
    """
    last = int(log.key.max(initial=0))
    known = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign, pk__lte=last).count()
    again = newest.until(last)
    return known == len(log.key) and log.where(log.key >= again.key.min(initial=last)).equals(again)


def _read(campaign: Campaign, since: int) -> EventColumns:
    rows = events_since(campaign, since).annotate(written=Cast("at", TextField()))
    fields = (
        "pk", "judge", "pooled__topic", "pooled", "relevance", "kind", "source", "active_seconds",
        "text_hash", "written",
    )  # fmt: skip
    return event_columns(rows.order_by("pk").values_list(*fields).iterator(chunk_size=10_000))


def standing_of(campaign: Campaign) -> EventColumns:
    """Return the events that are somebody's label of a document now, machines' too."""
    returned, probes = Return.objects.order_by("pk"), Probe.objects.order_by("pk")  # anywhere: they are few
    given_back = tuple(returned.values_list("event", flat=True))
    set_apart = tuple(probes.values_list("pooled", flat=True))
    stamp = newest_deed(campaign), newest_event(campaign), given_back, set_apart
    return kept(campaign, "standing", stamp, lambda: log_of(campaign).standing(given_back, set_apart))


def events_of(campaign: Campaign, judge: User) -> EventColumns:
    """Return everything that one judge did."""
    log = log_of(campaign)
    return log.where(log.judge == judge.pk)


def labels_of(campaign: Campaign, judge: User) -> EventColumns:
    """Return the events that are one judge's labels now."""
    labels = standing_of(campaign)
    return labels.where(labels.judge == judge.pk)


def labels_of_earlier_texts(campaign: Campaign) -> int:
    """Return how many current labels were given here to a text that has been replaced since."""
    return int(of_earlier_texts(campaign, people_of(campaign, standing_of(campaign))).sum())


def of_earlier_texts(campaign: Campaign, labels: EventColumns) -> Bools:
    """Tell of each of these labels whether it was given here to a text that has been replaced since."""
    pooled, texts = _texts_now(campaign)
    if not len(pooled):
        return np.zeros(len(labels.key), dtype=np.bool_)
    place = np.searchsorted(pooled, labels.pooled).clip(max=len(pooled) - 1)
    replaced: Bools = labels.here & (pooled[place] == labels.pooled) & (texts[place] != labels.text)
    return replaced


def _texts_now(campaign: Campaign) -> tuple[Ints, Ints]:
    """Return the pooled documents that have a text, ascending, and which text that is.

    Read again after whatever an organiser did: no text changes otherwise.
    """

    def made() -> tuple[Ints, Ints]:
        texts = {
            docno: text_key(text) for docno, text in campaign.documents.values_list("docno", "text_hash")
        }
        rows = (
            PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk").values_list("pk", "docno")
        )
        known = [(pk, texts[docno]) for pk, docno in rows.iterator(chunk_size=10_000) if docno in texts]
        pooled, now = np.array(known, dtype=np.int64).reshape(-1, 2).T
        return pooled.copy(), now.copy()

    return kept(campaign, "texts", newest_deed(campaign), made)


def people_of(campaign: Campaign, log: EventColumns) -> EventColumns:
    """Return what people did, without the labels of machines."""
    machines = list(campaign.machines.values_list("user", flat=True))
    return log.where(~np.isin(log.judge, machines))

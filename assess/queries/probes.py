"""Probes, and what labels on them tell."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from assess.models import JudgmentEvent, Probe, QueueEntry
from assess.training import sentence_of
from pooling.models import Campaign


def probes_of(campaign: Campaign) -> QuerySet[Probe]:
    """Return the probes in topic order, with `judges`: how many have labelled each."""
    probes = Probe.objects.filter(pooled__pool__campaign=campaign).select_related("pooled__topic")
    on_it = Q(pooled__events__kind__in=[QueueEntry.Kind.TRAINING, QueueEntry.Kind.GOLD])
    judges = Count("pooled__events__judge", filter=on_it, distinct=True)
    return probes.annotate(judges=judges).order_by("kind", "pooled__topic__place", "pooled__docno")


def training_feedback(campaign: Campaign, judge: User, keys: Iterable[object]) -> list[str]:
    """Return a sentence for each of these entries that is a training document with a label of this judge.

    keys: of entries, as they came; perhaps no numbers. Nothing is said of gold.
    """
    pks = [int(str(key)) for key in keys if str(key).isdecimal() and len(str(key)) < 19]
    entries = QueueEntry.objects.filter(
        judge=judge, topic__campaign=campaign, kind=QueueEntry.Kind.TRAINING, pk__in=pks
    ).select_related("pooled__probe")
    found = []
    for entry in entries:
        event = JudgmentEvent.objects.filter(judge=judge, pooled=entry.pooled_id, kind=entry.kind).last()
        if event:
            probe = entry.pooled.probe
            found.append(sentence_of(entry.pooled.docno, event.relevance, probe.relevance, probe.why))
    return found

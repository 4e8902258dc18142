"""Probes, and what labels on them tell."""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from assess.models import JudgmentEvent, Probe, QueueEntry
from assess.training import sentence_of
from pooling.models import Campaign


def no_probe(pooled: str = "pooled") -> Q:
    """Return the condition that a row's document is no probe. pooled: the field that holds the document.

    Not as `probe=None`, a join that finds nothing: of such PostgreSQL expects one row at most once it has
    looked at a table of a few probes, and loops over what are all documents but these.
    """
    return ~Q(Exists(Probe.objects.filter(pooled=OuterRef(pooled))))


def probes_of(campaign: Campaign) -> QuerySet[Probe]:
    """Return the probes in topic order, with `judges`: how many have labelled each."""
    probes = Probe.objects.filter(pooled__pool__campaign=campaign).select_related("pooled__topic")
    on_it = Q(pooled__events__kind__in=[QueueEntry.Kind.TRAINING, QueueEntry.Kind.GOLD])
    judges = Count("pooled__events__judge", filter=on_it, distinct=True)
    return probes.annotate(judges=judges).order_by("kind", "pooled__topic__place", "pooled__docno")


def training_feedback(event: JudgmentEvent) -> str:
    """Return what a judge is told of a label that they gave: in training alone. Nothing is said of gold."""
    if event.kind != QueueEntry.Kind.TRAINING:
        return ""
    probe = event.pooled.probe
    return sentence_of(event.pooled.docno, event.relevance, probe.relevance, probe.why)

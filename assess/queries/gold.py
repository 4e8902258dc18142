"""Gold and training documents, stored as `Probe`, and the feedback on training documents."""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from assess.judge_checks import training_sentence
from assess.models import JudgmentEvent, Probe, QueueEntry
from pooling.models import Campaign


def not_gold_or_training(pooled: str = "pooled") -> Q:
    """Return the condition that a row's document is neither gold nor training. pooled: field of the document.

    Not `probe=None`: for such an outer join PostgreSQL estimates one row once it has analysed a table of few
    probes, and uses nested loops over nearly all documents.
    """
    return ~Q(Exists(Probe.objects.filter(pooled=OuterRef(pooled))))


def gold_documents(campaign: Campaign) -> QuerySet[Probe]:
    """Return gold and training documents in topic order, with `judges`: how many have labelled each."""
    probes = Probe.objects.filter(pooled__pool__campaign=campaign).select_related("pooled__topic")
    labelled = Q(pooled__events__kind__in=[QueueEntry.Kind.TRAINING, QueueEntry.Kind.GOLD])
    judges = Count("pooled__events__judge", filter=labelled, distinct=True)
    return probes.annotate(judges=judges).order_by("kind", "pooled__topic__place", "pooled__docno")


def training_feedback(event: JudgmentEvent) -> str:
    """Return the feedback on a label of a training document; an empty string for all others, also gold."""
    if event.kind != QueueEntry.Kind.TRAINING:
        return ""
    probe = event.pooled.probe
    return training_sentence(event.pooled.docno, event.relevance, probe.relevance, probe.why)

"""Shared topics: documents that are still free, and documents of the other judges."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from assess.models import Assignment, QueueEntry
from assess.queries.independence import hidden_from
from assess.queries.probes import no_probe
from assess.queries.queues import assignments_of
from pooling.models import PooledDocument, Topic

Kind, State = QueueEntry.Kind, QueueEntry.State


def is_shared_for(judge: User, topic: Topic) -> bool:
    """Return whether this judge shares documents of the topic with others."""
    return any(assignment.part == Assignment.Part.SHARED for assignment in assignments_of(judge, topic))


def can_take(judge: User, topic: Topic) -> bool:
    """Return whether documents of a shared topic are free, or free again after a lease expired."""
    return hidden_from(judge, topic.campaign).filter(no_probe("pk"), topic=topic).exists()


def free_again(judge: User, topic: Topic) -> datetime | None:
    """Return when the first lease of another judge of a shared topic expires; None without one."""
    if not is_shared_for(judge, topic):
        return None
    leases = QueueEntry.objects.filter(topic=topic, state=State.OPEN, leased_until__gt=timezone.now())
    return leases.exclude(judge=judge).order_by("leased_until").values_list("leased_until", flat=True).first()


def judged_by_others(judge: User, topic: Topic) -> int:
    """Return how many documents of a shared topic others have judged and this judge has not."""
    shared = [each for each in assignments_of(judge, topic) if each.part == Assignment.Part.SHARED]
    done = QueueEntry.objects.filter(topic=topic, kind=Kind.JUDGING, state=State.DONE)
    documents = PooledDocument.objects.filter(topic=topic, pool__in=[each.pool_id for each in shared])
    others = documents.filter(pk__in=done.exclude(judge=judge).values("pooled"))
    return others.exclude(pk__in=done.filter(judge=judge).values("pooled")).count()


def lease_note(entry: QueueEntry) -> str:
    """Return a note for a judge whose lease had expired, if another judge then took the document.

    Otherwise an empty string. entry: its state before the label was recorded.
    """
    if entry.state != State.AWAY or not entry.leased_until:
        return ""
    states = set(_of_others(entry).values_list("state", flat=True))
    if not states:
        return ""
    note = (
        "another judge has labelled it too. Both labels are stored."
        if State.DONE in states
        else "another judge has it open now. Your label is stored."
    )
    return f"{entry.pooled.docno}: your time for this document was over, and {note}"


def _of_others(entry: QueueEntry) -> QuerySet[QueueEntry]:
    """Return the entries of other judges of the shared topic for this document."""
    entries = QueueEntry.objects.filter(pooled=entry.pooled_id, kind=Kind.JUDGING, leased_until__isnull=False)
    return entries.exclude(judge=entry.judge_id).exclude(state=State.AWAY).order_by()

"""Assignments of topics to judges, and the queues of judges."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Invitation, Pool, PooledDocument, Topic


class Assignment(models.Model):
    """A judge has a topic's documents of one pool.

    Primary: all of them. Shared: those that no other sharing judge takes. Second: those that the overlap rule
    of the plan selects. Audit: sampled documents of an audit of a machine judge (AuditedDocument.judges); it
    comes from the audit and cannot be chosen. The labels of an ended assignment stay.
    """

    class Part(models.TextChoices):
        PRIMARY = "primary", "Primary"
        SHARED = "shared", "Shared"
        SECOND = "second", "Second"
        AUDIT = "audit", "Audit"

    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="assignments")
    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="assignments")
    part = models.CharField(max_length=8, choices=Part, default=Part.PRIMARY)
    assigned_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "topic", "pool"], name="one_assignment_a_judge_topic_pool"
            )
        ]
        ordering = ["topic__place", "pool__number", "judge"]

    def __str__(self) -> str:
        return f"{self.judge}: {self.topic} in {self.pool}"


class InvitedTopics(models.Model):
    """The topics, and the part, that a judge is assigned when an invitation is accepted."""

    invitation = models.OneToOneField(
        Invitation, on_delete=models.CASCADE, primary_key=True, related_name="invited_topics"
    )
    topics = models.ManyToManyField(Topic, related_name="+")
    part = models.CharField(max_length=8, choices=Assignment.Part, default=Assignment.Part.PRIMARY)

    def __str__(self) -> str:
        return f"topics of an invitation: {self.invitation}"


class Probe(models.Model):
    """A gold or training document: a pooled document whose grade the organiser knows.

    Labels of it are separate: they make no judgment and are never in the qrels.
    """

    class Kind(models.TextChoices):
        TRAINING = "training", "Training, with feedback"
        GOLD = "gold", "Gold, unannounced"

    pooled = models.OneToOneField(PooledDocument, on_delete=models.CASCADE, related_name="probe")
    kind = models.CharField(max_length=8, choices=Kind)
    relevance = models.PositiveSmallIntegerField()
    why = models.TextField(blank=True, help_text="Shown to judges after they labelled it, in training only.")
    withdrawn = models.BooleanField(
        default=False, help_text="Not given to judges any more; its labels still make no judgment."
    )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.pooled}"


def random_key() -> int:
    """Return a random key, which does not reveal when a row was stored; JavaScript represents it exactly."""
    return 1 + secrets.randbelow(2**52)


class QueueEntry(models.Model):
    """One document in one judge's queue.

    Its place changes by the judge's own *later*, and if an audit puts its sample first.

    An entry in state "away" went to another judge or its lease expired; a label that arrives later still
    counts. Its key is on the judge's card. The key is random, because gold documents and hidden repeats are
    added after the others, and ascending keys would reveal them.
    """

    class Kind(models.TextChoices):
        JUDGING = "judging"
        TRAINING = "training"
        GOLD = "gold"
        REPEAT = "repeat"

    class State(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        AWAY = "away"

    id = models.BigAutoField(primary_key=True, default=random_key, editable=False)
    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="queue", db_index=False
    )
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="+")
    pooled = models.ForeignKey(PooledDocument, on_delete=models.CASCADE, related_name="queued")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.JUDGING)
    state = models.CharField(max_length=4, choices=State, default=State.OPEN)
    place = models.PositiveIntegerField()
    postponed = models.PositiveSmallIntegerField(
        default=0, help_text="Number of times the judge pressed *later*."
    )
    remark = models.TextField(
        blank=True, help_text="Of an adjudicator who asked the judge to read the document again."
    )
    leased_until = models.DateTimeField(
        null=True, help_text="End of the lease of a document of a shared topic."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judge", "pooled", "kind"], name="one_entry_a_judge_and_kind")
        ]
        indexes = [
            models.Index(fields=["judge", "topic", "state", "place", "-kind"], name="queue_of_a_judge"),
            models.Index(  # a covering index: open documents are counted without reading rows
                fields=["topic", "judge", "kind", "state"],
                condition=models.Q(state="open", kind="judging"),
                name="waiting_in_queues",
            ),
        ]
        ordering = ["place", "-kind", "pk"]  # at one place: training, a repeat, a document to judge, gold

    def __str__(self) -> str:
        return f"{self.place}. of {self.judge}: {self.pooled}"

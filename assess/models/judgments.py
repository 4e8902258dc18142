"""What judges said."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.queues import QueueEntry
from pooling.models import Campaign, PooledDocument


class JudgmentEvent(models.Model):
    """What a judge did, and to which text. Append-only: nothing ever updates or deletes one."""

    class Reason(models.TextChoices):
        BROKEN = "broken", "Broken or empty document"
        LANGUAGE = "language", "A language that I do not read"
        EXPERTISE = "expertise", "Beyond my expertise"
        SCALE = "scale", "Does not fit the scale"

    uuid = models.UUIDField(
        unique=True, help_text="Made where the press happened, so that a retry is the same event."
    )
    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgment_events", db_index=False
    )
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="events")
    relevance = models.PositiveSmallIntegerField(null=True, help_text="Null: this judge cannot judge it.")
    reason = models.CharField(max_length=12, choices=Reason, blank=True)
    comment = models.TextField(blank=True)
    text_hash = models.CharField(max_length=64, help_text="Of the text that was on screen.")
    source = models.CharField(max_length=12, help_text="key, click or import")
    kind = models.CharField(
        max_length=8,
        choices=QueueEntry.Kind,
        default=QueueEntry.Kind.JUDGING,
        help_text="Only labels of the kind judging make a judgment.",
    )
    position = models.PositiveIntegerField(
        null=True, help_text="The how-manieth label of this judge and topic."
    )
    active_seconds = models.FloatField(
        null=True, help_text="With the document on screen, the page in sight and the judge not idle."
    )
    highlighted = models.BooleanField(null=True, help_text="Whether terms were marked in the text.")
    evidence = models.JSONField(null=True, help_text="What the judge selected: quote, paragraph, start.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(relevance__isnull=False) ^ ~models.Q(reason=""),
                name="a_grade_or_a_reason",
            )
        ]
        indexes = [
            models.Index(fields=["judge", "id"], name="events_of_a_judge"),
            models.Index(fields=["pooled"], condition=models.Q(relevance=None), name="refusals"),
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.judge} on {self.pooled}: {self.reason or self.relevance}"


class Judgment(models.Model):
    """What a judge holds of a document now: the last of their events on it."""

    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgments", db_index=False
    )
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="judgments")
    event = models.OneToOneField(JudgmentEvent, on_delete=models.PROTECT, related_name="+")
    relevance = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "pooled"], name="one_judgment_a_judge")]

    def __str__(self) -> str:
        return str(self.event)


class Return(models.Model):
    """The organiser gave a *cannot judge* back to its judge: the document waits in the queue again."""

    event = models.OneToOneField(JudgmentEvent, on_delete=models.PROTECT, related_name="returned")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"returned: {self.event}"


class MachineJudge(models.Model):
    """A judge that is no person, and which program gave its labels. No person sees them while judging."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="machines")
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="machine")
    model = models.CharField(max_length=120, help_text="Name and version, as its maker writes them.")
    prompt_sha256 = models.CharField(max_length=64)
    made_on = models.DateField(help_text="When the labels were made.")
    note = models.TextField(blank=True)
    left_out = models.PositiveIntegerField(default=0, help_text="Labels of documents that no pool held.")
    loaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    loaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["user__username"]

    def __str__(self) -> str:
        return f"{self.user} ({self.model})"

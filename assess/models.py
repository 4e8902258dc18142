from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign, Pool, PooledDocument, Topic


class Assignment(models.Model):
    """A judge is to judge every document that a pool holds for a topic."""

    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="assignments")
    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="assignments")
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
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgment_events"
    )
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="events")
    relevance = models.PositiveSmallIntegerField(null=True, help_text="Null: this judge cannot judge it.")
    reason = models.CharField(max_length=12, choices=Reason, blank=True)
    comment = models.TextField(blank=True)
    text_hash = models.CharField(max_length=64, help_text="Of the text that was on screen.")
    source = models.CharField(max_length=12, help_text="key, click or import")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(relevance__isnull=False) ^ ~models.Q(reason=""),
                name="a_grade_or_a_reason",
            )
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.judge} on {self.pooled}: {self.reason or self.relevance}"


class Judgment(models.Model):
    """What a judge holds of a document now: the last of their events on it."""

    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgments")
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="judgments")
    event = models.OneToOneField(JudgmentEvent, on_delete=models.PROTECT, related_name="+")
    relevance = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "pooled"], name="one_judgment_a_judge")]

    def __str__(self) -> str:
        return str(self.event)


class QrelsRelease(models.Model):
    """The agreed qrels, numbered. Immutable: a correction is the next number."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="releases")
    number = models.PositiveSmallIntegerField()
    rule = models.CharField(max_length=40)
    manifest = models.JSONField()
    sha256 = models.CharField(max_length=64)
    file = models.FileField()
    line_count = models.PositiveIntegerField()
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_release_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Qrels v{self.number}"

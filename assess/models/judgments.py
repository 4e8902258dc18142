"""What judges said."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.queues import QueueEntry
from pooling.models import Campaign, PooledDocument, Topic


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
    at = models.DateTimeField(default=timezone.now, help_text="When it arrived.")
    pressed_at = models.DateTimeField(
        default=timezone.now, help_text="When the judge pressed: earlier than the arrival after work offline."
    )

    PRESS_ORDER = ("pressed_at", "pk")  # of a judge's events on a document the last in this order is current

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
    """The current label of a judge for a document: that of the event with the latest press."""

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


class Progress(models.Model):
    """Counters of one judge's work on one topic, updated in the transaction that stores it.

    They can be derived anew from events and judgments, but for `version` and `changed_at`: these change
    whenever a label of the judge on the topic is stored, returned, or counts otherwise.
    """

    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="progress")
    labels = models.PositiveIntegerField(default=0, help_text="Current labels, cannot judge too.")
    refused = models.PositiveIntegerField(default=0, help_text="Those of them that say cannot judge.")
    timed = models.PositiveIntegerField(default=0, help_text="Events whose active seconds were measured.")
    seconds = models.FloatField(default=0, help_text="The active seconds of these events.")
    last_at = models.DateTimeField(null=True, help_text="The last press; null where labels were imported.")
    version = models.PositiveBigIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "topic"], name="one_progress_a_judge_topic")]

    def __str__(self) -> str:
        return f"{self.judge} on {self.topic}: {self.labels}"


class LabelSummary(models.Model):
    """What people's current labels of one pooled document come to; machines' labels are not counted.

    Updated in the transaction that changes these labels. It can be derived anew from judgments.
    """

    pooled = models.OneToOneField(
        PooledDocument, on_delete=models.CASCADE, primary_key=True, related_name="label_summary"
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+", db_index=False)
    graders = models.PositiveSmallIntegerField(default=0, help_text="Judges who gave a grade.")
    refusals = models.PositiveSmallIntegerField(default=0, help_text="Judges who said cannot judge.")
    lowest = models.PositiveSmallIntegerField(null=True, help_text="The lowest grade; null without one.")
    highest = models.PositiveSmallIntegerField(null=True, help_text="The highest grade; null without one.")
    distance = models.PositiveSmallIntegerField(default=0, help_text="Highest minus lowest grade.")

    class Meta:
        indexes = [
            models.Index(
                fields=["campaign", "distance"], condition=models.Q(distance__gt=0), name="disputed_documents"
            ),
            models.Index(fields=["campaign"], condition=models.Q(refusals__gt=0), name="refused_documents"),
        ]

    def __str__(self) -> str:
        return f"{self.pooled}: {self.graders} grades, {self.refusals} refusals"


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

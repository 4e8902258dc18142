"""Two runs side by side."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign, Run, Topic


class Panel(models.Model):
    """Two runs whose first results judges compare side by side, names hidden. Fixed when it is made.

    Topics on which both show the same are left out.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="panels")
    first = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    depth = models.PositiveSmallIntegerField(help_text="So many documents of each run are shown.")
    seed = models.PositiveIntegerField(help_text="Decides who stands left, by judge and topic.")
    topics = models.ManyToManyField(Topic, related_name="panels")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(first=models.F("second")), name="two_different_runs")
        ]
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Panel {self.pk}"


class PanelVote(models.Model):
    """What a judge said of one topic of a panel. Append-only: the last of a judge and topic counts."""

    class Choice(models.TextChoices):
        FIRST = "first", "the first run"
        SECOND = "second", "the second run"
        EQUAL = "equal", "equal"

    uuid = models.UUIDField(
        unique=True, help_text="Made where the press happened, so that a retry is the same vote."
    )
    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="votes")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="votes")
    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="panel_votes")
    choice = models.CharField(max_length=6, choices=Choice)
    reason = models.TextField(blank=True)
    shown_left = models.CharField(
        max_length=6, choices=[("first", "the first run"), ("second", "the second")]
    )
    source = models.CharField(max_length=12, help_text="key or click")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["panel", "topic", "judge"], name="votes_of_a_panel")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.judge} on {self.panel}, topic {self.topic.number}: {self.choice}"

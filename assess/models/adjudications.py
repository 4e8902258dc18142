"""What was settled where judges differ."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import PooledDocument


class Adjudication(models.Model):
    """The settled grade of one document on which judges differ. Their labels stay as they are.

    What stands now, derived from events: a document that is opened again has none. That there is one a
    document keeps two adjudicators from settling it at once.
    """

    pooled = models.OneToOneField(PooledDocument, on_delete=models.PROTECT, related_name="adjudication")
    relevance = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="adjudications")
    why = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.pooled}: {self.relevance}, by {self.by}"


class AdjudicationEvent(models.Model):
    """An adjudicator settled a document or opened it again. Append-only: nothing updates or deletes one."""

    uuid = models.UUIDField(
        unique=True, help_text="Made where the press happened, so that a retry is the same event."
    )
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="adjudication_events")
    relevance = models.PositiveSmallIntegerField(null=True, help_text="Null: opened again.")
    why = models.TextField(blank=True)
    text_hash = models.CharField(max_length=64, blank=True, help_text="Of the text that was on screen.")
    last_label = models.PositiveBigIntegerField(
        null=True, help_text="The newest label event that the adjudicator saw."
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="adjudication_events"
    )
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        did = "opened again" if self.relevance is None else str(self.relevance)
        return f"{self.pooled}: {did}, by {self.by}"


class AdjudicationClaim(models.Model):
    """Whoever has a case open keeps it for a while, so that two adjudicators do not read the same one."""

    pooled = models.OneToOneField(PooledDocument, on_delete=models.CASCADE, related_name="claim")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.pooled}: with {self.by}"

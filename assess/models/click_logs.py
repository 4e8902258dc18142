"""Click logs: counts and the values of click models. No list, no query and nobody's identity is stored."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign, PooledDocument


class ClickLog(models.Model):
    """A click log that was read: what was used of it, and what was left out.

    files: name and SHA-256 of each. parameters: least_people, and the number of mapped queries. counts: see
    `assess.clicks.click_table.Selection`, and what the reader left out. rates: rank, impressions, clicks and
    the examination by the position-based model, of every rank.
    """

    class Form(models.TextChoices):
        UBI = "ubi", "User Behavior Insights, JSON lines"
        CSV = "csv", "CSV"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="click_logs")
    number = models.PositiveSmallIntegerField()
    form = models.CharField(max_length=3, choices=Form)
    files = models.JSONField(default=list)
    parameters = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    rates = models.JSONField(default=list)
    first_day = models.DateField(null=True, help_text="Null where the log has no times.")
    last_day = models.DateField(null=True)
    loaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    loaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_click_log_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Click log {self.number}"


class ClickedDocument(models.Model):
    """The counts of a pooled document that was shown for a topic, and its value by each click model."""

    log = models.ForeignKey(ClickLog, on_delete=models.CASCADE, related_name="documents")
    pooled = models.ForeignKey(PooledDocument, on_delete=models.CASCADE, related_name="+")
    impressions = models.PositiveIntegerField()
    clicks = models.PositiveIntegerField()
    coec = models.FloatField()
    sdbn = models.FloatField()
    pbm = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["log", "pooled"], name="one_clicked_document_a_log")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.pooled} in {self.log}"

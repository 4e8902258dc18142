"""Click logs: counts and the values of click models. No list, no query and nobody's identity is stored."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.sources import Source, Withdrawable
from pooling.models import Campaign, PooledDocument


class ClickLog(Withdrawable):
    """A click log that was read: what was used of it, and what was left out.

    A withdrawn log gives no labels, and those that were made from it are withdrawn with it. name, note: what
    organisers say about it.

    files: name and SHA-256 of each. parameters: least_people, and the number of mapped queries. counts: see
    `assess.clicks.click_table.Selection`, and what the reader left out. rates: rank, impressions, clicks and
    the examination by the position-based model, of every rank.
    """

    class Form(models.TextChoices):
        UBI = "ubi", "User Behavior Insights, JSON lines"
        CSV = "csv", "CSV"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="click_logs")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120, blank=True)
    note = models.TextField(blank=True)
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
        return f"Click log {self.number} ({self.name})" if self.name else f"Click log {self.number}"


class ClickLabels(models.Model):
    """The source of labels that were made from a click log.

    withdrawn_with_log: whether the labels were withdrawn because their log was; they are restored with it.
    """

    log = models.ForeignKey(ClickLog, on_delete=models.CASCADE, related_name="labels")
    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="click_labels")
    withdrawn_with_log = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.source} from {self.log}"


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

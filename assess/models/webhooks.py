"""Addresses of other tools that are told what happens in a campaign."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign


class Webhook(models.Model):
    """An address that gets the events of a campaign, signed, and how far it has been told.

    The secret signs every request, so it is stored as it is. Backups hold it, exports of a campaign do not.
    """

    EXPORTED = False  # it names an address for this server

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=500)
    secret = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    last_entry = models.PositiveIntegerField(
        default=0, help_text="Number of the last entry of the audit log that it was told of."
    )
    jobs_until = models.DateTimeField(
        default=timezone.now, help_text="End of the last failed job that it was told of."
    )
    finished_topics = models.JSONField(default=list, help_text="Numbers of the topics told as finished.")
    tried_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True, help_text="Why the last request failed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "url"], name="one_webhook_an_address_of_a_campaign")
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.url

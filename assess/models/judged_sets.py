"""What sets of work for judges have in common: battles, preferences, gradings, matchings and citations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from pooling.models import Campaign


class JudgedSet(models.Model):
    """A set of items that judges label. It never changes. number: in its campaign, from 1."""

    if TYPE_CHECKING:
        campaign: models.ForeignKey[Campaign, Campaign]
        campaign_id: int

    number = models.PositiveIntegerField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        ordering = ["-number"]


class JudgesLabel(models.Model):
    """What a judge says of an item: a vote, grades, a label. Append-only: the last one of an item counts."""

    source = models.CharField(max_length=12, blank=True, help_text="key or click")
    pressed_at = models.DateTimeField(help_text="By the server's clock.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        ordering = ["pk"]

"""Who changed what."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models.campaigns import Campaign


class TrailQuerySet(models.QuerySet["TrailEntry"]):
    def update(self, **values: Any) -> int:
        raise TypeError("The trail is written once.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("The trail is written once.")


class TrailEntry(models.Model):
    """Who changed what in a campaign, labels apart: they are events. Written once, by `services.note`.

    Each entry is sealed to the one before (`pooling.trail`), and the audit makes every seal anew: a trigger
    would stop only those who cannot drop it.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="trail")
    number = models.PositiveIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    who = models.CharField(max_length=150, blank=True, help_text="The sign-in name, as it was then.")
    at = models.DateTimeField(default=timezone.now)
    verb = models.CharField(max_length=40)
    sentence = models.TextField()
    details = models.JSONField(default=dict)
    seal = models.CharField(max_length=64)

    objects = TrailQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_entry_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"{self.number}. {self.who}: {self.verb}, {self.sentence}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The trail is written once.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("The trail is written once.")

    @property
    def record(self) -> dict[str, Any]:
        """What is sealed, and downloaded with its seal."""
        return {
            "number": self.number,
            "at": self.at.isoformat(),
            "who": self.who,
            "verb": self.verb,
            "sentence": self.sentence,
            "details": self.details,
        }

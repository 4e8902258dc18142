"""The audit log."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models.campaigns import Campaign


class AuditLogQuerySet(models.QuerySet["AuditLogEntry"]):
    def update(self, **values: Any) -> int:
        raise TypeError("Entries of the audit log cannot be changed or deleted.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("Entries of the audit log cannot be changed or deleted.")


class AuditLogEntry(models.Model):
    """An entry of the audit log: a change of a campaign, except labels, which are events. Never updated.

    `chain_hash` is the hash of this entry and of the one before (`pooling.audit_log`). The integrity
    check computes every hash again: a trigger would not stop a user who can drop it.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="audit_log")
    number = models.PositiveIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    who = models.CharField(max_length=150, blank=True, help_text="The sign-in name, as it was then.")
    at = models.DateTimeField(default=timezone.now)
    verb = models.CharField(max_length=40)
    sentence = models.TextField()
    details = models.JSONField(default=dict)
    chain_hash = models.CharField(max_length=64)

    objects = AuditLogQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_entry_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"{self.number}. {self.who}: {self.verb}, {self.sentence}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("Entries of the audit log cannot be changed or deleted.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("Entries of the audit log cannot be changed or deleted.")

    @property
    def record(self) -> dict[str, Any]:
        """The content that the hash covers, as it is downloaded."""
        return {
            "number": self.number,
            "at": self.at.isoformat(),
            "who": self.who,
            "verb": self.verb,
            "sentence": self.sentence,
            "details": self.details,
        }

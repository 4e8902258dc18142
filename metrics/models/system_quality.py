"""Figures of system quality: what runs cost in time, space, energy and money."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Run


class SystemFigures(models.Model):
    """The figures of a run, from a table that an organiser loaded or from the header of the run.

    figures: key of a quantity -> value, in the unit of `metrics.system_quality.quantities`. problem: why a
    header could not be read; such a row has no figures.
    """

    class Origin(models.TextChoices):
        TABLE = "table", "table"
        HEADER = "header", "header of the run"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="system_figures")
    figures = models.JSONField(default=dict)
    currency = models.CharField(max_length=3, blank=True)
    hardware = models.CharField(max_length=200, blank=True)
    origin = models.CharField(max_length=6, choices=Origin)
    file_name = models.CharField(max_length=255, blank=True, help_text="Of the table.")
    problem = models.TextField(blank=True)
    loaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    loaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "system figures"

    def __str__(self) -> str:
        return f"System figures of {self.run}"

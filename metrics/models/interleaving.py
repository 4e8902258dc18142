"""Comparisons of two runs by interleaving, and the clicks on their lists."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models import Withdrawable
from pooling.models import Campaign, Run


class Interleaving(models.Model):
    """A comparison of two runs by clicks of users on lists that are merged of both. It never changes.

    parameters: run_a, run_b (their tags then), length, seed, lists (of each topic), topics (with lists),
    left_out (topics on which the runs do not differ). file: the lists as JSON Lines, stored under a name made
    from its checksum.
    """

    class Method(models.TextChoices):
        TEAM_DRAFT = "team-draft", "Team draft"
        BALANCED = "balanced", "Balanced"
        PROBABILISTIC = "probabilistic", "Probabilistic"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="interleavings")
    number = models.PositiveSmallIntegerField()
    run_a = models.ForeignKey(Run, on_delete=models.RESTRICT, related_name="+")
    run_b = models.ForeignKey(Run, on_delete=models.RESTRICT, related_name="+")
    method = models.CharField(max_length=13, choices=Method)
    parameters = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64)
    file = models.FileField()
    list_count = models.PositiveIntegerField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_interleaving_a_number"),
            models.CheckConstraint(condition=~models.Q(run_a=models.F("run_b")), name="interleaves_two_runs"),
        ]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Interleaving {self.number}"

    @property
    def name_by_checksum(self) -> str:
        """The name under which the file is stored."""
        return f"interleaving/{self.sha256}.jsonl"


class InterleavingClicks(Withdrawable):
    """A file of clicks, counted. The file is not stored, so that no identifier of a user or session is.

    The sessions of a withdrawn file leave the figures of the comparison. name: of the file, unless an
    organiser gave another. counts: topic -> the six numbers of `metrics.interleaving.outcome.Counts`.
    """

    interleaving = models.ForeignKey(Interleaving, on_delete=models.CASCADE, related_name="clicks")
    name = models.CharField(max_length=120, blank=True)
    note = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, help_text="Checksum of the unpacked file.")
    counts = models.JSONField()
    loaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    loaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["interleaving", "sha256"], name="one_load_of_a_click_file")
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"Clicks {self.name or self.sha256[:12]} of {self.interleaving}"

    @property
    def sessions(self) -> int:
        """The number of sessions in the file."""
        return sum(counts[0] for counts in self.counts.values())

"""Runs of machine judges: files of participants in which a program judged the pooled documents."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import WORD, Campaign, Run


class JudgeRunQuerySet(models.QuerySet["JudgeRun"]):
    def active(self) -> JudgeRunQuerySet:
        """Leave out withdrawn files: they stay as evidence, and are not evaluated."""
        return self.filter(withdrawn_at=None)


class JudgeRun(models.Model):
    """The labels of a participant's program. The submitted bytes stay compressed and never change.

    The lines are no rows: the file is read again when it is evaluated. Its labels are in no release, and
    judges do not see them. sha256: of the text, after unpacking.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="judge_runs")
    tag = models.CharField(max_length=120, validators=[WORD])
    group = models.CharField(max_length=60, blank=True)
    kind = models.CharField(max_length=12, choices=Run.Kind, default=Run.Kind.AUTOMATIC)
    model = models.CharField(
        max_length=120, blank=True, help_text="Name and version, as its maker writes them."
    )
    description = models.TextField(blank=True)
    file_name = models.CharField(max_length=255)
    original = models.FileField()
    sha256 = models.CharField(max_length=64)
    line_count = models.PositiveIntegerField()
    warnings = models.JSONField(default=list)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = JudgeRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "tag"],
                condition=models.Q(withdrawn_at=None),
                name="one_judge_run_a_tag",
            )
        ]
        ordering = ["tag", "pk"]

    def __str__(self) -> str:
        return self.tag

    @property
    def name_by_checksum(self) -> str:
        """The name under which the file is stored."""
        return f"runs/{self.sha256}.gz"

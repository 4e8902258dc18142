"""Releases of gradings and matchings: versions of their labels and results that never change."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.gradings import Grading
from assess.models.matchings import Matching
from pooling.models import Campaign


class AnswerRelease(models.Model):
    """A version of the result of a grading or a matching, as one archive: answers, labels and figures.

    number: of the grading's or the matching's releases, from 1. lead: the sentence that says which run has
    the highest mean. size: of the archive, in bytes.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="answer_releases")
    grading = models.ForeignKey(Grading, on_delete=models.CASCADE, null=True, related_name="releases")
    matching = models.ForeignKey(Matching, on_delete=models.CASCADE, null=True, related_name="releases")
    number = models.PositiveIntegerField()
    file = models.FileField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    label_count = models.PositiveIntegerField()
    lead = models.TextField()
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["grading", "number"], name="one_grading_release_a_number"),
            models.UniqueConstraint(fields=["matching", "number"], name="one_matching_release_a_number"),
            models.CheckConstraint(
                condition=models.Q(grading=None) ^ models.Q(matching=None),
                name="an_answer_release_of_one_thing",
            ),
        ]
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Release {self.number} of {self.grading or self.matching}"

"""Releases of labels of answers: versions of gradings, matchings and citation support that never change."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.gradings import Grading
from assess.models.matchings import Matching
from assess.models.support import SupportSet
from pooling.models import Campaign


class AnswerRelease(models.Model):
    """A version of the result of a set of labels, as one archive: answers, labels and figures.

    Of a grading, a matching or a set of citations. number: of its releases, from 1. lead: the sentence that
    says which run has the highest mean. size: of the archive, in bytes.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="answer_releases")
    grading = models.ForeignKey(Grading, on_delete=models.CASCADE, null=True, related_name="releases")
    matching = models.ForeignKey(Matching, on_delete=models.CASCADE, null=True, related_name="releases")
    support = models.ForeignKey(SupportSet, on_delete=models.CASCADE, null=True, related_name="releases")
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
            models.UniqueConstraint(fields=["support", "number"], name="one_support_release_a_number"),
            models.CheckConstraint(
                condition=models.Q(matching=None, support=None, grading__isnull=False)
                | models.Q(grading=None, support=None, matching__isnull=False)
                | models.Q(grading=None, matching=None, support__isnull=False),
                name="an_answer_release_of_one_thing",
            ),
        ]
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Release {self.number} of {self.what}"

    @property
    def what(self) -> Grading | Matching | SupportSet:
        """The set of labels that is released."""
        judged = self.grading or self.matching or self.support
        assert judged is not None  # a constraint
        return judged

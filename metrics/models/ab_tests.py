"""A/B tests of two or more populations of users, and the files of their outcomes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models import Withdrawable
from pooling.models import Campaign


class ABTest(models.Model):
    """An A/B test as it was planned. It never changes: what is chosen after the data are seen is not tested.

    shares: pairs of a variant and its part of the users, the control first. outcomes: as lines of
    `metrics.ab_tests.outcomes`. planned_users: of all variants, at the end.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="ab_tests")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120)
    note = models.TextField(blank=True)
    shares = models.JSONField()
    planned_users = models.PositiveIntegerField()
    outcomes = models.TextField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_ab_test_a_number"),
            models.CheckConstraint(condition=models.Q(planned_users__gt=0), name="ab_test_has_users"),
        ]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"A/B test {self.number}: {self.name}"

    @property
    def parts(self) -> dict[str, float]:
        """Variant -> its part of the users, the control first."""
        return dict(self.shares)


class ABTestFile(Withdrawable):
    """A file of users or sessions, counted. It is not stored, so that no identifier of a user is.

    Each file holds all users so far: of several that stand, the newest counts. is_end: the test has ended as
    planned; every other file is a look before the end. figures: those of `metrics.ab_tests.figures`.
    """

    ab_test = models.ForeignKey(ABTest, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=120, blank=True)
    sha256 = models.CharField(max_length=64, help_text="Checksum of the unpacked file.")
    is_end = models.BooleanField(default=False)
    figures = models.JSONField()
    loaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    loaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["ab_test", "sha256"],
                condition=models.Q(withdrawn_at=None),
                name="one_load_of_an_ab_test_file",
            )
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.name or self.sha256[:12]} of A/B test {self.ab_test.number}"

    @property
    def users(self) -> int:
        """The number of users who saw one variant."""
        return sum(self.figures["users"].values())

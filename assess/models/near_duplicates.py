"""Classes of near duplicates among the pooled documents of a campaign, frozen before judging."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign, PooledDocument


class DuplicateClassification(models.Model):
    """The classes of one campaign: a draft until it is frozen, and then in effect.

    Frozen classes do not change: a document that leaves its class has a `DuplicateSplit`.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="near_duplicates")
    parameters = models.JSONField(help_text="Threshold, share that is judged on purpose, seed, and method.")
    sha256 = models.CharField(max_length=64, help_text="Of the lines topic, representative, members.")
    document_count = models.PositiveIntegerField(help_text="Pooled documents that were compared.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    frozen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    frozen_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"near duplicates of {self.campaign}"


class DuplicateClass(models.Model):
    """Documents of one topic with nearly the same text. Judges get the representative."""

    classification = models.ForeignKey(
        DuplicateClassification, on_delete=models.CASCADE, related_name="classes"
    )
    representative = models.OneToOneField(
        PooledDocument, on_delete=models.CASCADE, related_name="represented_class"
    )
    size = models.PositiveIntegerField(help_text="Documents, with the representative.")
    lowest = models.FloatField(help_text="Jaccard coefficient of the two that have least in common.")
    is_doubtful = models.BooleanField(
        default=False, help_text="Somebody should look at it: many documents, or little in common."
    )

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.size} near duplicates: {self.representative}"


class DuplicateMember(models.Model):
    """A document of a class that is not its representative: it gets the label of the representative.

    A sampled member is judged on purpose, as any other document, to measure how often that is wrong.
    """

    duplicate_class = models.ForeignKey(DuplicateClass, on_delete=models.CASCADE, related_name="members")
    pooled = models.OneToOneField(
        PooledDocument, on_delete=models.CASCADE, related_name="duplicate_membership"
    )
    similarity = models.FloatField(help_text="Jaccard coefficient with the representative.")
    is_sampled = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"near duplicate: {self.pooled}"


class DuplicateSplit(models.Model):
    """A person found that a member differs from its representative: it is judged by itself."""

    member = models.OneToOneField(DuplicateMember, on_delete=models.CASCADE, related_name="split")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.member} is judged by itself"

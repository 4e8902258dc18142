"""Pyramids of summary content units and annotated peer summaries: files of DUCView, which never change.

A draft is a pyramid that people make here; once it is stored, it is a file like the others.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign, Topic


class OriginalQuerySet(models.QuerySet["TopicPyramid"]):
    def standing(self) -> OriginalQuerySet:
        """Leave out withdrawn files: they stay as evidence, and count nowhere."""
        return self.filter(withdrawn_at=None)


class OriginalFile(models.Model):
    """The bytes of a file as they were given, compressed. sha256: of the text, after unpacking."""

    file_name = models.CharField(max_length=255)
    original = models.FileField()
    sha256 = models.CharField(max_length=64)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        abstract = True

    @property
    def name_by_checksum(self) -> str:
        """The name under which the file is stored."""
        return f"runs/{self.sha256}.gz"


class TopicPyramid(OriginalFile):
    """The pyramid of a topic. A topic has one that is not withdrawn.

    order: number of model summaries, null if the file does not say. units: [uid, weight] of each, in the
    order of the file; derived from it, so that scores need no file.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pyramids")
    number = models.PositiveIntegerField()
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pyramids")
    order = models.PositiveIntegerField(null=True)
    units = models.JSONField()

    objects = OriginalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_pyramid_a_number"),
            models.UniqueConstraint(
                fields=["topic"], condition=models.Q(withdrawn_at=None), name="one_pyramid_a_topic"
            ),
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"Pyramid {self.number}"

    @property
    def weights(self) -> dict[int, int]:
        """uid -> weight, in the order of the file."""
        return dict(self.units)


class PyramidDraft(models.Model):
    """A pyramid of a topic that is being made.

    text: of all model summaries, as `assess.pyramids.drafts.units.joined_text` makes it; it never changes.
    units: [uid, label, [[start, end], ...]] of each, in the order in which they were made; offsets count in
    the text.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pyramid_drafts")
    topic = models.OneToOneField(Topic, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    units = models.JSONField(default=list)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["campaign", "topic__place"]

    def __str__(self) -> str:
        return f"Draft of the pyramid of topic {self.topic.number}"


class AnnotatedPeer(OriginalFile):
    """A peer summary that is annotated with the units of a pyramid. spans: [uid, count], 0 for no unit."""

    pyramid = models.ForeignKey(TopicPyramid, on_delete=models.CASCADE, related_name="peers")
    peer = models.CharField(max_length=60)
    spans = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pyramid", "peer"],
                condition=models.Q(withdrawn_at=None),
                name="one_annotation_a_peer",
            )
        ]
        ordering = ["pyramid", "peer", "pk"]

    def __str__(self) -> str:
        return self.peer

    @property
    def span_counts(self) -> dict[int, int]:
        """uid -> number of spans."""
        return dict(self.spans)

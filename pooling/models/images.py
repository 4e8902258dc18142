"""Images of documents and topics, stored as files that are named by their checksum."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import models

from pooling.limits import MAX_IMAGE_NAME
from pooling.models.campaigns import Campaign, Topic


class ImageQuerySet(models.QuerySet["Image"]):
    def of_documents(self, docnos: Iterable[str]) -> ImageQuerySet:
        """Return the images of these documents."""
        return self.filter(topic=None, docno__in=docnos)

    def of_any_topic(self) -> ImageQuerySet:
        """Return the images of topics, which every member may see."""
        return self.exclude(topic=None)


class Image(models.Model):
    """An image of a document or of a topic: it has either a docno or a topic."""

    class MediaType(models.TextChoices):
        PNG = "image/png", "PNG"
        JPEG = "image/jpeg", "JPEG"
        GIF = "image/gif", "GIF"
        WEBP = "image/webp", "WebP"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="images")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, null=True, related_name="images")
    docno = models.CharField(max_length=200, blank=True)
    place = models.PositiveSmallIntegerField(help_text="Counts from 1 among the images of its owner.")
    name = models.CharField(max_length=MAX_IMAGE_NAME, help_text="The file name, to which a web page refers.")
    media_type = models.CharField(max_length=10, choices=MediaType)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.FileField()

    objects = ImageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(topic=None) ^ models.Q(docno=""), name="image_of_document_or_topic"
            ),
            models.UniqueConstraint(fields=["campaign", "docno", "topic", "place"], name="one_image_a_place"),
        ]
        indexes = [models.Index(fields=["campaign", "sha256"], name="images_by_checksum")]
        ordering = ["docno", "topic", "place"]

    def __str__(self) -> str:
        return f"image {self.place} of {self.docno or self.topic}"

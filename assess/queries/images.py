"""Which images a user may see."""

from __future__ import annotations

from accounts.models import User
from assess.models import QueueEntry
from pooling.models import Campaign, Image, ImageQuerySet, Role


def visible_images(user: User, campaign: Campaign) -> ImageQuerySet:
    """Return the images that the user may see: those of topics, and those of documents whose text is shown.

    Organisers and adjudicators see all documents, and judges those in their queues, in any state. The images
    of documents in a panel have addresses of their own.
    """
    if campaign.my_roles & {Role.ORGANISER, Role.ADJUDICATOR}:
        return campaign.images.all()
    images = campaign.images.of_any_topic()
    if Role.JUDGE in campaign.my_roles:
        entries = QueueEntry.objects.filter(judge=user, topic__campaign=campaign).order_by()
        images |= campaign.images.of_documents(entries.values_list("pooled__docno", flat=True))
    return images


def image_with(images: ImageQuerySet, sha256: str) -> Image | None:
    """Return one of these images by its checksum; equal images have the same file."""
    return images.filter(sha256=sha256).order_by("pk").first()

"""The images of documents and topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.urls import reverse

from pooling.formats.images import ShownImage, shown_size
from pooling.models import Campaign, Image, Topic


def images_by_docno(
    campaign: Campaign, docnos: Iterable[str], url: Callable[[Image], str] | None = None
) -> dict[str, list[ShownImage]]:
    """Return docno -> its images in their order, without documents that have none.

    url: gives the address of an image. By default it is the one for members who see the document's text.
    """
    images: dict[str, list[ShownImage]] = {}
    for image in campaign.images.of_documents(docnos).order_by("place"):
        image.campaign = campaign
        images.setdefault(image.docno, []).append(_shown(image, url or _url))
    return images


def topic_images(topic: Topic) -> list[ShownImage]:
    """Return the images of a topic in their order."""
    return [_shown(image, _url) for image in topic.images.select_related("campaign").order_by("place")]


def _shown(image: Image, url: Callable[[Image], str]) -> ShownImage:
    return ShownImage(image.name, url(image), *shown_size(image.width, image.height))


def _url(image: Image) -> str:
    return reverse("assess:image", args=[image.campaign.slug, image.sha256])


def image_hashes(campaign: Campaign, docnos: Iterable[str]) -> dict[str, list[str]]:
    """Return docno -> the checksums of its images in their order, without documents that have none."""
    hashes: dict[str, list[str]] = {}
    images = campaign.images.of_documents(docnos).order_by("place")
    for docno, sha256 in images.values_list("docno", "sha256"):
        hashes.setdefault(docno, []).append(sha256)
    return hashes

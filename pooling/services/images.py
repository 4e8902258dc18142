"""Import the images of documents and topics from a zip archive."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import IO, NamedTuple

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction

from accounts.models import User
from pooling.campaign_states import check_writable
from pooling.checksum import text_hash
from pooling.formats.files import BadFile
from pooling.formats.images import ImageRecord, in_order, read_images, stored_name, summary_of
from pooling.models import Campaign, Document, Image
from pooling.queries.documents import IMAGES_ACTION, pooled_in
from pooling.queries.images import image_hashes
from pooling.services.audit_log import log_change
from pooling.services.files import store_once

BATCH_SIZE = 500  # documents of a transaction: a write that holds up no judge
NAMES_SHOWN = 5
Report = Callable[[int, int, str], None]
"""What is called with the progress: done, total, message."""


class ImagesResult(NamedTuple):
    """The counts of an import. unknown: docnos whose images were not stored, sorted."""

    read: int
    stored: int
    unknown: list[str]

    def __str__(self) -> str:
        text = f"{self.read:,} images read, {self.stored:,} stored"
        if not self.unknown:
            return text
        names = ", ".join(self.unknown[:NAMES_SHOWN])
        more = f" and {len(self.unknown) - NAMES_SHOWN:,} more" if len(self.unknown) > NAMES_SHOWN else ""
        return f"{text}; no document is pooled or loaded for {names}{more}"


def import_images(
    campaign: Campaign,
    file: IO[bytes],
    name: str,
    pooled_only: bool = True,
    report: Report = lambda done, total, message: None,
    by: User | None = None,
) -> ImagesResult:
    """Store the images of a zip archive; they replace all images that their documents and topics had.

    Everything is checked before the first image is stored. An image changes the text hash of its document, so
    a label that was given to other images counts as one for an earlier text. pooled_only: leave out
    the images of documents that are neither pooled nor loaded. The files of replaced images stay, because a
    backup may be reading them. Raises BadFile and StateRefused.
    """
    check_writable(campaign.state)
    records = _checked(campaign, file, name, report)
    docnos = {record.docno for record in records if record.docno}
    known = _known(campaign) if pooled_only else docnos
    wanted = [record for record in records if record.topic or record.docno in known]
    _store_files(file, name, {record.sha256 for record in wanted}, report)
    with transaction.atomic():
        _replace_topic_images(campaign, [record for record in wanted if record.topic])
    remaining = iter(sorted(docnos & known))
    while batch := set(islice(remaining, BATCH_SIZE)):
        with transaction.atomic():
            _replace_document_images(campaign, [record for record in wanted if record.docno in batch])
    text = f"{len(wanted):,} of {len(records):,} read"
    log_change(campaign, by, IMAGES_ACTION, text, stored=len(wanted))
    return ImagesResult(len(records), len(wanted), sorted(docnos - known))


def _checked(campaign: Campaign, file: IO[bytes], name: str, report: Report) -> list[ImageRecord]:
    """Return the images without their contents."""
    records = []
    for record in read_images(file, name, settings.UPLOAD_LIMIT):
        records.append(record._replace(content=b""))
        report(len(records), 0, f"{len(records):,} images checked; nothing is stored yet")
    numbers = set(campaign.topics.values_list("number", flat=True))
    if unknown := sorted({record.topic for record in records if record.topic} - numbers):
        faults = [f"topics/{number}: expected a topic of the campaign" for number in unknown]
        raise BadFile(summary_of(faults), name=name)
    return in_order(records, name)


def _known(campaign: Campaign) -> set[str]:
    pooled = pooled_in(campaign).values_list("docno", flat=True)
    return {*pooled, *campaign.documents.values_list("docno", flat=True)}


def _store_files(file: IO[bytes], name: str, wanted: set[str], report: Report) -> None:
    done = 0
    for record in read_images(file, name, settings.UPLOAD_LIMIT):
        if record.sha256 in wanted:
            done += 1
            path = stored_name(record.sha256, record.header.media_type)
            store_once(path, ContentFile(record.content), record.sha256)
            report(done, len(wanted), f"{done:,} image files stored")


def _replace_topic_images(campaign: Campaign, records: list[ImageRecord]) -> None:
    topics = {topic.number: topic.pk for topic in campaign.topics.all()}
    owners = {topics[record.topic] for record in records}
    campaign.images.filter(topic__in=owners).delete()
    Image.objects.bulk_create(_row(campaign, record, topics[record.topic]) for record in records)


def _replace_document_images(campaign: Campaign, records: list[ImageRecord]) -> None:
    docnos = {record.docno for record in records}
    campaign.images.of_documents(docnos).delete()
    Image.objects.bulk_create(_row(campaign, record, None) for record in records)
    _store_text_hashes(campaign, docnos)


def _row(campaign: Campaign, record: ImageRecord, topic: int | None) -> Image:
    return Image(
        campaign=campaign,
        topic_id=topic,
        docno=record.docno,
        place=record.place,
        name=record.name,
        sha256=record.sha256,
        file=stored_name(record.sha256, record.header.media_type),
        **record.header._asdict(),
    )


def _store_text_hashes(campaign: Campaign, docnos: set[str]) -> None:
    """Store the text hash of documents whose images changed; a docno without a document gets an empty one."""
    hashes = image_hashes(campaign, docnos)
    loaded = list(campaign.documents.filter(docno__in=docnos))
    new = [
        Document(campaign=campaign, docno=docno) for docno in docnos - {document.docno for document in loaded}
    ]
    for document in [*loaded, *new]:
        document.text_hash = text_hash(document.title, document.text, hashes[document.docno])
    Document.objects.bulk_update(loaded, ["text_hash"])
    Document.objects.bulk_create(new)

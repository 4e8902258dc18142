"""Import the documents that judges read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import IO, NamedTuple

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from accounts.models import User
from pooling.campaign_states import check_writable
from pooling.checksum import text_hash
from pooling.formats.archives import archive_files, is_zip
from pooling.formats.documents.reading import DocumentReader, read_collection, read_documents
from pooling.formats.documents.xml import Elements, parse_mapping
from pooling.formats.files import open_unpacked
from pooling.formats.images import is_image_archive
from pooling.models import (
    Campaign,
    Document,
    Job,
)
from pooling.queries.documents import IMPORT_ACTION, pooled_in
from pooling.queries.images import image_hashes
from pooling.services.audit_log import log_change
from pooling.services.images import import_images
from pooling.services.jobs import advance, finish, report_progress

REPORT_INTERVAL = 2_000  # documents
BATCH_SIZE = 500  # documents: a write that holds up no judge


class ImportResult(NamedTuple):
    """The counts of an import. repaired: documents with replaced characters. repeated: documents with a docno
    that occurred before."""

    read: int
    stored: int
    repaired: int
    repeated: int

    def __str__(self) -> str:
        text = f"{self.read:,} documents read, {self.stored:,} stored"
        text += f"; {self.repaired:,} with characters that are not UTF-8" if self.repaired else ""
        return text + (f"; {self.repeated:,} with a docno that occurred before" if self.repeated else "")


class ImportProgress(NamedTuple):
    """How far an import is. total: documents in the files, 0 until all are checked.

    read, kept: the number of documents read and stored so far; jobs in the database have these keys.
    """

    checked: int = 0
    total: int = 0
    read: int = 0
    kept: int = 0


IMAGES = "images"  # the form of an archive of images, beside those of documents


def holds_images(file: IO[bytes], form: str) -> bool:
    """Return whether a file is an archive of images. form: IMAGES, "" to look at the names of the members."""
    return form == IMAGES or (not form and is_zip(file) and is_image_archive(file, settings.UPLOAD_LIMIT))


def document_reader(
    file: IO[bytes], name: str, form: str = "", elements: Elements | None = None
) -> DocumentReader:
    """Return a reading of a file of documents, or of a zip archive of such files."""
    if is_zip(file):
        return read_collection(archive_files(file, name, settings.UPLOAD_LIMIT), name, form, elements)
    return read_documents(open_unpacked(file, name, settings.UPLOAD_LIMIT), name, form, elements)


def import_documents(
    campaign: Campaign,
    reread: Callable[[], DocumentReader],
    pooled_only: bool = True,
    report: Callable[[ImportProgress], None] = lambda step: None,
    since: ImportProgress | None = None,
    by: User | None = None,
) -> ImportResult:
    """Store the documents of a reading, by default only those that a pool holds.

    reread: begins a reading; it is called twice. The first time nothing is stored, so that a fault on the
    last line leaves nothing behind; the second time documents are stored in small steps, which hold up no
    judge. report: is called with the progress; once all are checked, in the transaction that stores the
    documents it counts. since: the last step that was reported, to continue from there.
    A docno that is stored already gets the new text. Raises BadFile and StateRefused.
    """
    check_writable(campaign.state)
    step = since or ImportProgress()
    if not step.total:
        step = _checked(reread(), report)
    wanted = set(pooled_in(campaign).values_list("docno", flat=True)) if pooled_only else None
    reading, kept, has_images = reread(), step.kept, campaign.images.exists()
    for _ in islice(reading, step.read):  # stored by an earlier attempt
        pass
    while chunk := list(islice(reading, BATCH_SIZE)):
        rows = {record.docno: record for record in chunk if wanted is None or record.docno in wanted}
        kept += len(rows)
        images = image_hashes(campaign, rows) if has_images else {}
        documents = [
            Document(
                campaign=campaign,
                text_hash=text_hash(row.title, row.text, images.get(row.docno, ())),
                **row._asdict(),
            )
            for row in rows.values()
        ]
        with transaction.atomic():
            Document.objects.bulk_create(
                documents,
                update_conflicts=True,
                unique_fields=["campaign", "docno"],
                update_fields=["title", "text", "url", "facts", "text_hash"],
            )
            report(ImportProgress(step.total, step.total, reading.documents, kept))
    log_change(campaign, by, IMPORT_ACTION, f"{kept:,} of {reading.documents:,} read", kept=kept)
    return ImportResult(reading.documents, kept, reading.repaired, reading.repeated)


def _checked(reading: DocumentReader, report: Callable[[ImportProgress], None]) -> ImportProgress:
    for _ in reading:
        if reading.documents % REPORT_INTERVAL == 0:
            report(ImportProgress(checked=reading.documents))
    report(ImportProgress(reading.documents, total=reading.documents))
    return ImportProgress(reading.documents, total=reading.documents)


def import_upload(job: Job) -> None:
    """Import the file of a job, going on where an earlier attempt ended. Raises BadFile and Stopped.

    Arguments of the job: name, form and elements as the person wrote them, pooled_only. An archive of images
    is read from its beginning by every attempt.
    """
    about = job.arguments
    page = reverse("pooling:document_list", args=[job.campaign.slug])
    elements = parse_mapping(about["elements"]) if about["elements"] else None

    def save_progress(step: ImportProgress) -> None:
        if not step.total:
            message = f"{step.checked:,} documents checked; nothing is stored yet"
            return report_progress(job, step.checked, 0, message)
        return advance(job, step.read, step.total, f"{step.kept:,} documents stored", step._asdict())

    def report_images(done: int, total: int, message: str) -> None:
        report_progress(job, done, total, message)

    with job.upload.open("rb") as file:
        if holds_images(file, about["form"]):
            result = import_images(
                job.campaign, file, about["name"], about["pooled_only"], report_images, job.user
            )
            return finish(job, str(result), page)

        def reread() -> DocumentReader:
            file.seek(0)
            return document_reader(file, about["name"], about["form"], elements)

        since = ImportProgress(**job.cursor) if job.cursor else None
        done = import_documents(job.campaign, reread, about["pooled_only"], save_progress, since, job.user)
    finish(job, str(done), page)

"""Import the documents that judges read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.template.defaultfilters import pluralize
from django.urls import reverse

from accounts.models import User
from pooling.campaign_states import check_writable
from pooling.checksum import text_hash
from pooling.formats.archives import archive_files, is_zip
from pooling.formats.documents.reading import DocumentReader, read_collection, read_documents
from pooling.formats.documents.record import DocumentRecord
from pooling.formats.documents.xml import Elements, parse_mapping
from pooling.formats.files import BadFile, open_unpacked
from pooling.formats.images import is_image_archive
from pooling.intake.fields import MOST_NAMED
from pooling.models import (
    Campaign,
    Document,
    Job,
)
from pooling.queries.documents import IMPORT_ACTION, count_labels_of_texts, pooled_in
from pooling.queries.images import image_hashes
from pooling.services.audit_log import log_change
from pooling.services.images import import_images
from pooling.services.jobs import JobTask, advance, finish, hold_until_pool, report_progress, start_job
from pooling.words import counted

REPORT_INTERVAL = 2_000  # documents
BATCH_SIZE = 500  # documents: a write that holds up no judge
NONE_STORED = (
    "None of them is in a pool, and only pooled documents are stored. Load the file again after its documents"
    ' are pooled, or choose "every document" (command: --all, REST API: keep=all)'
)


class ImportResult(NamedTuple):
    """The counts of an import.

    repaired: documents with replaced characters. repeated: documents with a docno that occurred before in the
    files; otherwise: those of them with another text. added, replaced: stored documents without an earlier
    text, and with another one. left: field with a long text that was not read -> how many documents have it.
    """

    read: int
    stored: int
    repaired: int
    repeated: int
    otherwise: int
    added: int
    replaced: int
    left: Mapping[str, int] = {}

    @property
    def unread(self) -> str:
        """The fields that were not read; "" if there are none."""
        return ", ".join(f"{field} ({count:,})" for field, count in islice(self.left.items(), MOST_NAMED))

    @property
    def unchanged(self) -> int:
        return self.stored - self.added - self.replaced

    @property
    def comparison(self) -> str:
        """What was stored, compared with the earlier texts; "" if all is new."""
        if self.added == self.stored:
            return ""
        return f": {self.added:,} new, {self.unchanged:,} unchanged, {self.replaced:,} replaced"

    @property
    def advice(self) -> str:
        """What to do if nothing was stored."""
        return "" if self.stored else NONE_STORED

    @property
    def remarks(self) -> str:
        """What a person should know of the documents that were read; "" if there is nothing."""
        text = (
            f"; {self.repaired:,} with invalid UTF-8 characters, which were replaced" if self.repaired else ""
        )
        text += f"; {self.repeated:,} with a docno that occurred before" if self.repeated else ""
        text += f", {self.otherwise:,} of them with another text" if self.otherwise else ""
        return text + (f"; fields with long texts not read: {self.unread}" if self.left else "")

    @property
    def is_odd(self) -> bool:
        return bool(self.repaired or self.repeated or self.left or self.advice)

    def __str__(self) -> str:
        text = f"{self.read:,} document{pluralize(self.read)} read, {self.stored:,} stored"
        text += self.comparison + self.remarks
        return text + (f". {self.advice}" if self.advice else "")


class ReplacementRefused(BadFile):
    """Texts for which labels were given would be replaced, and the person has not chosen that."""

    def __init__(self, texts: int, labels: int) -> None:
        super().__init__(
            f"{texts:,} stored text{pluralize(texts)} would be replaced, and {labels:,}"
            f" label{pluralize(labels)} of people {pluralize(labels, 'was,were')} given for"
            f" {pluralize(texts, 'it,them')}; to replace {pluralize(texts, 'it,them')}, load the file again"
            ' with "Replace texts that have labels" (command: --replace, REST API: replace)'
        )
        self.texts, self.labels = texts, labels


class ImportProgress(NamedTuple):
    """How far an import is. total: documents in the files, 0 until all are checked.

    read, kept: the number of documents read and stored so far; added, replaced: of those stored. Jobs in the
    database have these keys.
    """

    checked: int = 0
    total: int = 0
    read: int = 0
    kept: int = 0
    added: int = 0
    replaced: int = 0


IMAGES = "images"  # the form of an archive of images, beside those of documents


def holds_images(file: IO[bytes], form: str) -> bool:
    """Return whether a file is an archive of images. form: IMAGES, "" to look at the names of the members."""
    return form == IMAGES or (not form and is_zip(file) and is_image_archive(file, settings.UPLOAD_LIMIT))


def document_reader(
    file: IO[bytes],
    name: str,
    form: str = "",
    elements: Elements | None = None,
    fields: Mapping[str, str] | None = None,
) -> DocumentReader:
    """Return a reading of a file of documents, or of a zip archive of such files.

    elements, fields: what a person says about the elements of XML, and about the fields of rows.
    """
    if is_zip(file):
        files = archive_files(file, name, settings.UPLOAD_LIMIT)
        return read_collection(files, name, form, elements, fields=fields)
    content = open_unpacked(file, name, settings.UPLOAD_LIMIT)
    return read_documents(content, name, form, elements, fields=fields)


def check_documents(
    reading: DocumentReader, report: Callable[[ImportProgress], None] = lambda step: None
) -> str:
    """Read a file that waits for a pool, and store nothing. Returns what to say of it. Raises BadFile."""
    while list(islice(reading, BATCH_SIZE)):
        if reading.documents % REPORT_INTERVAL == 0:
            report(ImportProgress(checked=reading.documents))
    read = _result(reading)
    return (
        f"{read.read:,} document{pluralize(read.read)} read{read.remarks}."
        " The pooled ones are stored when the first pool is frozen."
    )


def _result(reading: DocumentReader, stored: int = 0, added: int = 0, replaced: int = 0) -> ImportResult:
    return ImportResult(
        reading.documents,
        stored,
        reading.repaired,
        reading.repeated,
        reading.repeated_otherwise,
        added,
        replaced,
        dict(reading.left),
    )


def import_documents(
    campaign: Campaign,
    reread: Callable[[], DocumentReader],
    pooled_only: bool = True,
    report: Callable[[ImportProgress], None] = lambda step: None,
    since: ImportProgress | None = None,
    by: User | None = None,
    replace: bool = True,
) -> ImportResult:
    """Store the documents of a reading, by default only those that a pool holds.

    reread: begins a reading; it is called twice. The first time nothing is stored, so that a fault on the
    last line leaves nothing behind; the second time documents are stored in small steps, which hold up no
    judge. report: is called with the progress; once all are checked, in the transaction that stores the
    documents it counts. since: the last step that was reported, to continue from there.
    A docno that is stored already gets the new text. replace: also if labels were given for its earlier text.
    Raises BadFile, among them ReplacementRefused, and StateRefused.
    """
    check_writable(campaign.state)
    step = since or ImportProgress()
    wanted = set(pooled_in(campaign).values_list("docno", flat=True)) if pooled_only else None
    has_images, has_texts = campaign.images.exists(), campaign.documents.exists()
    if not step.total:
        chosen = partial(_documents, campaign, wanted=wanted, has_images=has_images)
        step = _checked(campaign, reread(), report, chosen if has_texts and not replace else None)
    reading, kept, added, replaced = reread(), step.kept, step.added, step.replaced
    for _ in islice(reading, step.read):  # stored by an earlier attempt
        pass
    while chunk := list(islice(reading, BATCH_SIZE)):
        documents = _documents(campaign, chunk, wanted, has_images)
        earlier = _stored_hashes(campaign, documents) if has_texts else {}
        kept += len(documents)
        added += len(documents) - len(earlier)
        replaced += sum(
            document.text_hash != earlier.get(document.docno, document.text_hash) for document in documents
        )
        with transaction.atomic():
            Document.objects.bulk_create(
                documents,
                update_conflicts=True,
                unique_fields=["campaign", "docno"],
                update_fields=["title", "text", "url", "facts", "text_hash"],
            )
            report(ImportProgress(step.total, step.total, reading.documents, kept, added, replaced))
    log_change(campaign, by, IMPORT_ACTION, f"{kept:,} of {reading.documents:,} read", kept=kept)
    return _result(reading, kept, added, replaced)


def _documents(
    campaign: Campaign, chunk: list[DocumentRecord], wanted: set[str] | None, has_images: bool
) -> list[Document]:
    """Return the documents to store of a part of a file; of a repeated docno the last."""
    rows = {record.docno: record for record in chunk if wanted is None or record.docno in wanted}
    images = image_hashes(campaign, rows) if has_images else {}
    return [
        Document(
            campaign=campaign,
            text_hash=text_hash(row.title, row.text, images.get(row.docno, ())),
            **row._asdict(),
        )
        for row in rows.values()
    ]


def _stored_hashes(campaign: Campaign, documents: list[Document]) -> dict[str, str]:
    """Return docno -> checksum of the stored text, of those of these documents that are stored."""
    stored = campaign.documents.filter(docno__in=[document.docno for document in documents])
    return dict(stored.values_list("docno", "text_hash"))


def _checked(
    campaign: Campaign,
    reading: DocumentReader,
    report: Callable[[ImportProgress], None],
    chosen: Callable[[list[DocumentRecord]], list[Document]] | None,
) -> ImportProgress:
    """Read all; store nothing. chosen: the documents to store, if labelled texts may not be replaced."""
    other: set[str] = set()  # docnos whose stored text is another one
    while chunk := list(islice(reading, BATCH_SIZE)):
        documents = chosen(chunk) if chosen else []
        stored = _stored_hashes(campaign, documents) if documents else {}
        same = {document.docno for document in documents if stored.get(document.docno) == document.text_hash}
        other = (other | stored.keys()) - same
        if reading.documents % REPORT_INTERVAL == 0:
            report(ImportProgress(checked=reading.documents))
    if other and (labels := count_labels_of_texts(campaign, sorted(other))):
        raise ReplacementRefused(len(other), labels)
    report(ImportProgress(reading.documents, total=reading.documents))
    return ImportProgress(reading.documents, total=reading.documents)


def start_import(
    campaign: Campaign,
    user: User,
    kind: JobTask,
    file: IO[bytes],
    about: Mapping[str, Any],
    held_message: str = "",
) -> Job:
    """Start the job that imports a file, or hold it until a pool is frozen if there is a message.

    about: the arguments, see `import_upload`. held_message: of `check_documents`.
    """
    title = f"Load documents from {about['name']}"
    return start_job(campaign, user, kind, title, about, file, held_message=held_message)


def import_upload(job: Job) -> None:
    """Import the file of a job, going on where an earlier attempt ended. Raises BadFile and Stopped.

    Arguments of the job: name, form, elements and fields as the person said, pooled_only, replace. An archive
    of images is read from its beginning by every attempt. While there is no pool, a file of which only pooled
    documents are wanted is checked and held.
    """
    about = job.arguments
    page = reverse("pooling:document_list", args=[job.campaign.slug])
    elements = parse_mapping(about["elements"]) if about["elements"] else None

    def save_progress(step: ImportProgress) -> None:
        if not step.total:
            message = f"{counted(step.checked, 'document')} checked; nothing is stored yet"
            return report_progress(job, step.checked, 0, message)
        return advance(job, step.read, step.total, f"{counted(step.kept, 'document')} stored", step._asdict())

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
            return document_reader(file, about["name"], about["form"], elements, about.get("fields"))

        waits = about["pooled_only"] and not job.campaign.pools.exists()
        if waits and hold_until_pool(job, check_documents(reread(), save_progress)):
            return
        since = ImportProgress(**job.cursor) if job.cursor else None
        replace = about.get("replace", False)
        done = import_documents(
            job.campaign, reread, about["pooled_only"], save_progress, since, job.user, replace
        )
    finish(job, str(done), page)

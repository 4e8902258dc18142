"""The documents that judges read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import IO, NamedTuple

from django.conf import settings

from pooling import trec
from pooling.archive import is_zip, members
from pooling.checksum import text_hash
from pooling.models import (
    Campaign,
    Document,
)
from pooling.queries import pooled_in
from pooling.textfile import opened
from pooling.trec import Reading
from pooling.trec.documents.elements import Elements

TOLD_EVERY = 50_000  # documents


class Import(NamedTuple):
    """What became of documents. repaired: with characters that are not certain. repeated: a docno again."""

    read: int
    kept: int
    repaired: int
    repeated: int


def reading_of(file: IO[bytes], name: str, form: str = "", elements: Elements | None = None) -> Reading:
    """Return a reading of a file of documents, or of a zip archive of such files."""
    if is_zip(file):
        return trec.read_collection(members(file, name, settings.UPLOAD_LIMIT), name, form, elements)
    return trec.read_documents(opened(file, name, settings.UPLOAD_LIMIT), name, form, elements)


def import_documents(
    campaign: Campaign,
    reread: Callable[[], Reading],
    pooled_only: bool = True,
    tell: Callable[[str], None] = lambda text: None,
) -> Import:
    """Keep the documents of a reading, by default only those that a pool holds.

    reread: begins a reading; it is called twice. The first time nothing is stored, so that a fault on the
    last line leaves nothing behind; the second time documents are stored in small steps, which hold up no
    judge. tell: is told how far it is.
    A docno that is there already gets the new text. Raises BadFile.
    """
    checked = reread()
    for _ in checked:
        if checked.documents % TOLD_EVERY == 0:
            tell(f"{checked.documents:,} documents checked")
    wanted = set(pooled_in(campaign).values_list("docno", flat=True)) if pooled_only else None
    reading, kept = reread(), 0
    while chunk := list(islice(reading, 500)):
        rows = {record.docno: record for record in chunk if wanted is None or record.docno in wanted}
        kept += len(rows)
        if reading.documents % TOLD_EVERY == 0:
            tell(f"{reading.documents:,} of {checked.documents:,} documents read, {kept:,} kept")
        Document.objects.bulk_create(
            [
                Document(campaign=campaign, text_hash=text_hash(row.title, row.text), **row._asdict())
                for row in rows.values()
            ],
            update_conflicts=True,
            unique_fields=["campaign", "docno"],
            update_fields=["title", "text", "url", "text_hash"],
        )
    return Import(reading.documents, kept, reading.repaired, reading.repeated)

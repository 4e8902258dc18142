"""The files that the rows of a campaign name: under which name each is stored, and with which content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import IO

from django.conf import settings
from django.core.files.storage import default_storage
from django.db.models import FileField, Model

from assess.models import QrelsRelease, ReleaseFile
from assess.release_formats.kinds import QRELS, kind_of
from config.archives.zipped import PIECE, Archive, BadArchive
from pooling.formats.files import LIMIT, BadFile, opened
from pooling.models import Run


def check_files(archive: Archive, row: Model) -> Iterator[str]:
    """Yield the names of the files of a row, each of which is in the archive and has the row's checksum.

    Raises BadArchive for any other: a row must not refer to a file that only this server has.
    """
    for field in row._meta.concrete_fields:
        if isinstance(field, FileField):
            name, expected = str(getattr(row, field.attname)), _name_by_checksum(row)
            where = f"{row._meta.label} {row.pk!r:.80}"
            if name != expected:
                raise BadArchive(f"{where}: expected the file name {expected}, found {name:.200}")
            if name not in archive.files:
                raise BadArchive(f"{where}: expected the file {name} in the archive, which lacks it")
            if not _has_checksum(archive, name, row):
                raise BadArchive(f"{where}: the content of {name} has another SHA-256 than its name says")
            yield name


def _name_by_checksum(row: Model) -> str:
    """Return the name under which the services store the file of a row."""
    if isinstance(row, Run):
        return f"runs/{row.sha256}.gz"
    if isinstance(row, QrelsRelease):
        return f"qrels/{row.sha256}{kind_of(QRELS).suffix}"
    if isinstance(row, ReleaseFile):
        folder = "qrels" if row.kind == QRELS else "releases"
        try:
            return f"{folder}/{row.sha256}{kind_of(row.kind).suffix}"
        except KeyError as error:
            raise BadArchive(f"{row._meta.label}: expected a known kind of file, found {error}") from error
    raise TypeError(f"no rule for the name of a file of {row._meta.label}")


def _has_checksum(archive: Archive, name: str, row: Model) -> bool:
    if isinstance(row, Run):  # its checksum is that of the text, the file is compressed
        with archive.open(name) as file:
            return is_text_of(file, name)
    return bool(archive.files[name]["sha256"] == getattr(row, "sha256", ""))


def is_text_of(file: IO[bytes], name: str) -> bool:
    """Return whether a stored run unpacks to the text whose SHA-256 its name gives."""
    limit, digest = max(LIMIT, settings.UPLOAD_LIMIT), hashlib.sha256()
    try:
        text = opened(file, name, limit, longest=limit)
        while piece := text.read(PIECE):
            digest.update(piece)
    except BadFile:
        return False
    return name == f"runs/{digest.hexdigest()}.gz"


def is_stored_run(name: str) -> bool:
    """Return whether this server has the run already, perhaps compressed by another program."""
    if not (name.startswith("runs/") and default_storage.exists(name)):
        return False
    with default_storage.open(name) as file:
        return is_text_of(file, name)

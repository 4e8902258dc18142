"""Checks of the rows and files of a campaign archive, made before a transaction begins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db.models import FileField, Model

from assess.models import JudgmentEvent, QrelsRelease, ReleaseFile
from assess.release.formats import QRELS, kind_of
from config.archives.rows import batches, instance_of
from config.archives.tables import campaign_models, label_of, links_of
from config.archives.zip_file import PIECE_BYTES, Archive, BadArchive
from pooling.formats.files import UNPACKED_LIMIT, BadFile, open_unpacked
from pooling.formats.images import stored_name
from pooling.models import Image

CLONE_HINT = "`clone_campaign` copies a campaign on the same server."


def check_files(archive: Archive, row: Model) -> Iterator[str]:
    """Yield the names of the files of a row, each of which is in the archive and has the row's checksum.

    Raises BadArchive for any other: a row must not refer to a file that only this server has.
    """
    for field in row._meta.concrete_fields:
        if isinstance(field, FileField):
            name = str(getattr(row, field.attname))
            if not name and field.blank:  # the files of the row were too large for the archive
                continue
            expected, sha256 = _name_and_checksum(row, field.name)
            where = f"{row._meta.label} {row.pk!r:.80}"
            if name != expected:
                raise BadArchive(f"{where}: expected the file name {expected}, found {name:.200}")
            if name not in archive.files:
                raise BadArchive(f"{where}: expected the file {name} in the archive, which lacks it")
            if not _has_checksum(archive, name, sha256):
                raise BadArchive(f"{where}: the content of {name} has another SHA-256 than its row says")
            yield name


def _name_and_checksum(row: Model, field: str) -> tuple[str, str]:
    """Return the name under which the services store the file of a field, and the SHA-256 of the row."""
    if archived_file := getattr(row, "archived_file", None):  # a row with several files
        name, sha256 = archived_file(field)
        return str(name), str(sha256)
    return _name_by_checksum(row), str(getattr(row, "sha256", ""))


def _name_by_checksum(row: Model) -> str:
    """Return the name under which the services store the only file of a row."""
    if isinstance(row, Image):
        try:
            return stored_name(row.sha256, row.media_type)
        except KeyError as error:
            raise BadArchive(f"{row._meta.label}: expected a known media type, found {error}") from error
    if isinstance(row, QrelsRelease):
        return f"qrels/{row.sha256}{kind_of(QRELS).suffix}"
    if isinstance(row, ReleaseFile):
        folder = "qrels" if row.kind == QRELS else "releases"
        try:
            return f"{folder}/{row.sha256}{kind_of(row.kind).suffix}"
        except KeyError as error:
            raise BadArchive(f"{row._meta.label}: expected a known kind of file, found {error}") from error
    if name := getattr(row, "name_by_checksum", ""):
        return str(name)
    raise TypeError(f"no rule for the name of a file of {row._meta.label}")


def _has_checksum(archive: Archive, name: str, sha256: str) -> bool:
    if name.startswith("runs/"):  # the checksum is that of the text, and the file is compressed
        with archive.open(name) as file:
            return matches_checksum(file, name)
    return bool(archive.files[name]["sha256"] == sha256)


def matches_checksum(file: IO[bytes], name: str) -> bool:
    """Return whether a stored run unpacks to the text whose SHA-256 its name gives."""
    limit, digest = max(UNPACKED_LIMIT, settings.UPLOAD_LIMIT), hashlib.sha256()
    try:
        text = open_unpacked(file, name, limit, longest=limit)
        while piece := text.read(PIECE_BYTES):
            digest.update(piece)
    except BadFile:
        return False
    return name == f"runs/{digest.hexdigest()}.gz"


def is_stored_run(name: str) -> bool:
    """Return whether this server has the run already, perhaps compressed by another program."""
    if not (name.startswith("runs/") and default_storage.exists(name)):
        return False
    with default_storage.open(name) as file:
        return matches_checksum(file, name)


KnownRows = dict[type[Model], set[Any]]
"""model -> the numbers of its rows in the archive."""


def check_rows(archive: Archive, known: KnownRows) -> list[str]:
    """Read every row; return the names of the files that rows refer to.

    known: the people of the archive. Raises BadArchive for a row that is not of its table, that refers to a
    row or a file which the archive lacks, or that is on this server already, and for a file of no row.
    """
    names: set[str] = set()
    for model in campaign_models():
        label, known[model] = label_of(model), set()
        if label not in archive.tables:
            raise BadArchive(f"expected a table {label}")
        for step in batches(model, (instance_of(model, row) for row in archive.rows(label))):
            for row in step:
                _check_links(row, known)
                names.update(check_files(archive, row))
                known[model].add(row.pk)
            if model is JudgmentEvent:
                _check_labels_are_new(step)
    if without := archive.files.keys() - names:
        raise BadArchive(f"files/{min(without):.200}: expected a row that refers to this file, found none")
    return sorted(names)


def _check_links(row: Model, known: KnownRows) -> None:
    for field, target in links_of(type(row)):
        number = getattr(row, field.attname)
        if number is not None and number not in known[target]:
            raise BadArchive(f"{label_of(type(row))}: there is no {label_of(target)} {number!r:.80}")


def _check_labels_are_new(events: Iterable[Any]) -> None:
    known_events = JudgmentEvent.objects.filter(uuid__in=[event.uuid for event in events])
    if event := known_events.select_related("pooled__topic__campaign").first():
        raise BadArchive(
            f"the label {event.uuid} is here already, in the campaign {event.pooled.topic.campaign.slug}: "
            f"expected an archive of a campaign that is not on this server. {CLONE_HINT}"
        )

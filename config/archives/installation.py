"""Everything that an installation holds, written while people work, and read into an empty one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from django.core.exceptions import SuspiciousOperation
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management.color import no_style
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from config.archives.rows import batches, instance_of, json_lines_of
from config.archives.tables import files_of, label_of, software_version, stored_models
from config.archives.zip_file import (
    PIECE_BYTES,
    Archive,
    ArchiveWriter,
    BadArchive,
    create_archive,
    open_archive,
)
from pooling.queries.snapshots import snapshot

KIND = "whole installation"
STORAGE_ERRORS = (DatabaseError, SuspiciousOperation, ValueError, TypeError, ArithmeticError)
"""What storing rows and files raises where a value is beyond what a database or a file system can hold."""


def back_up(path: Path) -> dict[str, Any]:
    """Write every table as of one moment, and every file that they name; return the manifest.

    Judges go on meanwhile: what they do after the first row is read is not in it. Files are never changed, so
    those of the moment are all there. A file that the storage has lost stands under "lost" in the manifest.
    Raises BadArchive where the path is taken.
    """
    with create_archive(path) as archive, snapshot():
        missing_files = []
        for model in stored_models():
            rows = model._base_manager.all()
            archive.add_table(label_of(model), json_lines_of(rows))
            for name in files_of(rows):
                missing_files += add_stored(archive, name)
        about = {
            "kind": KIND,
            "made_at": timezone.now().isoformat(),
            **software_version(),
            "lost": missing_files,
        }
        return archive.finish(about)


def add_stored(archive: ArchiveWriter, name: str) -> list[str]:
    """Add a file of the storage, once; return its name if it is lost."""
    if name not in archive.files:
        try:
            with default_storage.open(name) as file:
                archive.add_file(name, file)
        except FileNotFoundError:
            return [name]
    return []


def restore(path: Path) -> dict[str, Any]:
    """Fill an empty installation from a backup; return its manifest.

    Every checksum is compared before the first row is written, and a failure leaves no row behind. Files are
    stored first; those of a restore that was interrupted are compared and completed. Raises BadArchive for a
    damaged archive, one of another version, or where the installation is not empty.
    """
    with open_archive(path, KIND) as archive:
        check_version(archive)
        _check_empty()
        try:
            for name in archive.files:
                store_file(archive, name)
            with transaction.atomic():
                for model in stored_models():
                    _fill(archive, model)
                connection.check_constraints()
        except BadArchive:
            raise
        except IntegrityError as error:
            raise BadArchive(f"a row does not fit the others: {error}") from error
        except STORAGE_ERRORS as error:
            raise BadArchive(f"something in the archive cannot be stored: {error}") from error
        _reset_sequences()
        return archive.manifest


def check_version(archive: Archive) -> None:
    """Raise BadArchive for an archive whose tables have other columns than those here."""
    theirs, ours = archive.manifest.get("database"), software_version()["database"]
    if theirs != ours:
        software = archive.manifest.get("software")
        raise BadArchive(
            f"the archive was made by {software!s:.100} with its database at {theirs!s:.500}, and this one is"
            f" at {ours}: read it with the version that made it, and upgrade then"
        )


def _check_empty() -> None:
    for model in stored_models():
        if count := model._base_manager.count():
            raise BadArchive(f"expected an empty installation, found {count:,} rows of {label_of(model)}")


def store_file(archive: Archive, name: str) -> None:
    """Store a file under its name. One that is there is compared; one that was cut short is replaced.

    Raises BadArchive where another file has that name.
    """
    if default_storage.exists(name):
        match = _comparison(archive, name)
        if match == "same":
            return
        if match == "different":
            raise BadArchive(f"the storage has another file of the name {name}")
        default_storage.delete(name)
    with archive.open(name) as file:
        default_storage.save(name, File(file, name))


def _comparison(archive: Archive, name: str) -> Literal["same", "cut short", "different"]:
    """Compare the stored file of a name with that of the archive, byte by byte."""
    with archive.open(name) as file, default_storage.open(name) as stored:
        while True:
            expected, actual = file.read(PIECE_BYTES), stored.read(PIECE_BYTES)
            if expected != actual:
                is_cut = len(actual) < len(expected) and expected.startswith(actual)
                return "cut short" if is_cut else "different"
            if not expected:
                return "same"


def _fill(archive: Archive, model: type[Model]) -> None:
    label = label_of(model)
    if label not in archive.tables:
        raise BadArchive(f"expected a table {label}")
    for step in batches(model, (instance_of(model, row) for row in archive.rows(label))):
        model._base_manager.bulk_create(step)
    expected, actual = archive.tables[label]["rows"], model._base_manager.count()
    if expected != actual:
        raise BadArchive(f"{label}: expected {expected:,} rows, found {actual:,}")


def _reset_sequences() -> None:
    """Let the next row of each table have a number of its own; rows were stored with theirs."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), stored_models()):
            cursor.execute(statement)

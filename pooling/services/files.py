"""Uploaded files, stored files that are named by their checksum, and bulk inserts of rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import chain, repeat
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model

from pooling.checksum import sha256_of_parts
from pooling.formats.files import BadFile

log = logging.getLogger("jurypool.files")

PIECE_BYTES = 1 << 20  # bytes that are read at a time
Opener = Callable[[IO[bytes]], IO[bytes]]


def read_upload(file: File[Any], name: str = "") -> bytes:
    """Return the bytes of an uploaded file. Raises BadFile, unread, for more than may be unpacked of it."""
    if file.size > settings.UPLOAD_LIMIT:
        message = f"expected at most {settings.UPLOAD_LIMIT:,} bytes after unpacking, found {file.size:,}"
        raise BadFile(message, name=name or file.name or "")
    content: bytes = file.read()
    return content


def store_once(name: str, content: File[Any], sha256: str, unpacked: Opener = lambda file: file) -> str:
    """Store a file under a name made from its checksum, unless it is there; return the name.

    A file that is there with another checksum is damaged, or was left by a write that broke off; it is
    replaced. unpacked: opens what the checksum is of, where that is not the file's own bytes. Raises OSError.
    """
    if default_storage.exists(name):
        if _checksum(name, unpacked) == sha256:
            return name
        log.warning("replacing the damaged file %s", name)
        default_storage.delete(name)
    stored = default_storage.save(name, content)
    if stored != name:  # another process stored the same file meanwhile
        default_storage.delete(stored)
    return name


def _checksum(name: str, unpacked: Opener) -> str:
    """Return the SHA-256 of a stored file; an empty text where it cannot be unpacked."""
    with default_storage.open(name) as stored:
        try:
            content = unpacked(stored)
            return sha256_of_parts(iter(lambda: content.read(PIECE_BYTES), b""))
        except BadFile:
            return ""


# Values in one statement; SQLite allows 32,766. Between two statements other threads run and delay this
# transaction, for which all writers wait: few long statements are better than many short ones.
VALUES_A_STATEMENT = 30_000


def insert_rows(model: type[Model], count: int, **columns: Any) -> None:
    """Insert rows that are given by column: a list with a value for every row, or one value for all rows.

    A column that is not given has its default, the same in every row; the key is the database's. Nothing is
    validated and no signal is sent, as with `bulk_create`. That makes an object of every row and SQL of every
    object, which takes several times as long; on SQLite, no other connection can write meanwhile.
    """
    template, database = model(), connections[DEFAULT_DB_ALIAS]
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    prepared: list[Any] = []
    for field in fields:
        value = columns.get(field.attname, getattr(template, field.attname))
        if isinstance(value, list):
            prepared.append([field.get_db_prep_save(item, database) for item in value])
        else:
            prepared.append(repeat(field.get_db_prep_save(value, database), count))
    names = ", ".join(f'"{field.column}"' for field in fields)
    row, rows = f"({', '.join(['%s'] * len(fields))})", list(zip(*prepared, strict=True))
    with database.cursor() as cursor:
        size = VALUES_A_STATEMENT // len(fields)
        for start in range(0, len(rows), size):
            some = rows[start : start + size]
            marks = ", ".join([row] * len(some))
            sql = f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES {marks}'
            cursor.execute(sql, list(chain.from_iterable(some)))

"""Uploaded files, and stored ones that are named after their checksum."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage

from pooling.checksum import sha256_of_parts
from pooling.formats.files import BadFile

log = logging.getLogger("jurypool.files")

PIECE = 1 << 20  # bytes that are read at a time
Opener = Callable[[IO[bytes]], IO[bytes]]


def read_upload(file: File[Any], name: str = "") -> bytes:
    """Return the bytes of an uploaded file. Raises BadFile, unread, for more than may be unpacked of it."""
    if file.size > settings.UPLOAD_LIMIT:
        wish = f"expected at most {settings.UPLOAD_LIMIT:,} bytes after unpacking, found {file.size:,}"
        raise BadFile(wish, name=name or file.name or "")
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
            return sha256_of_parts(iter(lambda: content.read(PIECE), b""))
        except BadFile:
            return ""

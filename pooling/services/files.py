"""Files named after their checksum: stored once, and never taken for whole when they are not."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import default_storage

from pooling.checksum import sha256_of_parts
from pooling.textfile import BadFile

log = logging.getLogger("jurypool.files")

PIECE = 1 << 20  # bytes that are read at a time
Opener = Callable[[IO[bytes]], IO[bytes]]


def store_once(name: str, content: File[Any], sha256: str, unpacked: Opener = lambda file: file) -> str:
    """Store a file under a name made from its checksum, unless it is there; return its name.

    A file that is there with another checksum is damaged, or was left by a write that broke off; it is
    replaced. unpacked: opens what the checksum is of, where that is not the file's own bytes. Raises OSError.
    """
    if default_storage.exists(name):
        if _checksum(name, unpacked) == sha256:
            return name
        log.warning("replacing the damaged file %s", name)
        default_storage.delete(name)
    return default_storage.save(name, content)


def _checksum(name: str, unpacked: Opener) -> str:
    """Return the SHA-256 of a stored file; an empty text where it cannot be unpacked."""
    with default_storage.open(name) as stored:
        try:
            content = unpacked(stored)
            return sha256_of_parts(iter(lambda: content.read(PIECE), b""))
        except BadFile:
            return ""

"""Columns that took long to compute, in a file beside the data: the next web process finds them at once.

They are only ever a copy, and whoever reads them makes sure that they are what the database says: by looking,
or by a stamp that changes whenever they might. A file that is missing or broken is as good as none; no backup
holds it; each host has its own, and anybody may delete it.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt
from django.conf import settings

from pooling.models import Campaign

KIND = sha256().digest_size  # bytes, before the checksum
CHECKSUM = 4  # bytes, before the columns
Columns = Mapping[str, npt.NDArray[Any]]


def read_columns(campaign: Campaign, name: str, like: Columns, stamp: object = "") -> Columns | None:
    """Return the columns of a file; None unless it is whole, of columns named and typed like these, and was
    written under this stamp."""
    try:
        with _path(campaign, name).open("rb") as stored:
            if stored.read(KIND) != _kind(like, stamp):
                return None
            told, content = stored.read(CHECKSUM), stored.read()
    except OSError:
        return None
    if told != _checksum(content):
        return None
    file = BytesIO(content)
    return {column: np.load(file, allow_pickle=False) for column in like}


def write_columns(campaign: Campaign, name: str, columns: Columns, stamp: object = "") -> None:
    """Put columns in the place of what the file held; where that cannot be, all goes on without it.

    stamp: what the columns are made of; its `repr` says all of it.
    Written under another name and renamed, so that nobody reads half a file, however many write at once.
    """
    path, content = _path(campaign, name), BytesIO()
    for column in columns.values():
        np.save(content, column, allow_pickle=False)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            try:
                file.write(_kind(columns, stamp))
                file.write(_checksum(content.getbuffer()))
                file.write(content.getbuffer())
                file.flush()
                os.replace(file.name, path)
            except OSError:
                os.unlink(file.name)
                raise


def _kind(columns: Columns, stamp: object) -> bytes:
    """Return what tells a file from those of other columns, and those made of something else."""
    named = ",".join(f"{name} {column.dtype.str}" for name, column in columns.items())
    return sha256(f"{named} {stamp!r}".encode()).digest()


def _checksum(content: bytes | memoryview) -> bytes:
    return zlib.crc32(content).to_bytes(CHECKSUM, "big")


def _path(campaign: Campaign, name: str) -> Path:
    return Path(settings.KEPT_ROOT) / f"{name}-{campaign.pk}.columns"

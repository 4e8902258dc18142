"""A zip archive that is streamed: of any size, in little memory, with reproducible bytes."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from typing import NamedTuple

CHECKSUMS = "SHA256SUMS"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip file, so that the same files give the same bytes
CHUNK = 1 << 16  # bytes in memory before they are sent


class ArchiveMember(NamedTuple):
    """A file of an archive. size: in bytes if known, 0 otherwise; zipfile needs it for large files."""

    name: str
    chunks: Iterable[bytes]
    size: int = 0


def zip_chunks(members: Iterable[ArchiveMember], folder: str) -> Iterator[bytes]:
    """Yield the bytes of a zip archive with these members in a folder, followed by their SHA256SUMS.

    Members are not compressed: compressed bytes depend on the version of zlib, and the checksum of the
    archive could not be cited. Large members are compressed files already.
    """
    sink, sums = _Sink(), []
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for member in members:
            checksum = hashlib.sha256()
            with archive.open(_entry(f"{folder}/{member.name}", member.size), "w") as out:
                for chunk in member.chunks:
                    checksum.update(chunk)
                    out.write(chunk)
                    if sink.size >= CHUNK:
                        yield sink.take()
            sums.append(f"{checksum.hexdigest()}  {member.name}\n")
        archive.writestr(_entry(f"{folder}/{CHECKSUMS}", 0), "".join(sums))
    yield sink.take()


def _entry(name: str, size: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.create_system, entry.external_attr = 3, 0o100644 << 16  # as on Unix, wherever the server runs
    entry.file_size = size
    return entry


class _Sink:
    """The output of ZipFile: a buffer of bytes until `take`, without seek."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self.size = 0

    def write(self, chunk: bytes) -> int:
        self._chunks.append(bytes(chunk))
        self.size += len(chunk)
        return len(chunk)

    def flush(self) -> None:
        return None

    def close(self) -> None:
        return None

    def take(self) -> bytes:
        content = b"".join(self._chunks)
        self._chunks, self.size = [], 0
        return content

"""Files that are hashed while they are written, so that memory does not depend on their size."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple


class WrittenFile(NamedTuple):
    """A finished file. sha256 and size: of the file on disk. lines: without the header."""

    path: Path
    sha256: str
    size: int
    lines: int


class FileWriter:
    """Writes lines to a new file; `finish` returns its checksum and size."""

    def __init__(self, path: Path, header: bytes = b"", packed: bool = False) -> None:
        self.path, self.lines = path, 0
        self.sink = _Hashed(path.open("wb"))
        # without name and time, so that equal labels give equal files
        self.packer = gzip.GzipFile("", "wb", 6, self.sink, mtime=0) if packed else None
        self.out: IO[bytes] | _Hashed | gzip.GzipFile = self.packer or self.sink
        self.out.write(header)

    def write(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self.out.write(line)
            self.lines += 1

    def finish(self) -> WrittenFile:
        self.close()
        return WrittenFile(self.path, self.sink.hash.hexdigest(), self.sink.size, self.lines)

    def close(self) -> None:
        if self.packer:
            self.packer.close()
        self.sink.close()

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Hashed:
    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.hash, self.size = file, hashlib.sha256(), 0

    def write(self, content: bytes) -> int:
        self.hash.update(content)
        self.size += len(content)
        return self.file.write(content)

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        self.file.close()


def write_file(path: Path, content: bytes) -> WrittenFile:
    """Write a small file at once."""
    with FileWriter(path) as file:
        file.write(content.splitlines(keepends=True))
        return file.finish()

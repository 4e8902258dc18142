"""The Range header of HTTP (RFC 9110): which part of a file to send, so that a download can be resumed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, NamedTuple

ONE_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*")
CHUNK = 1 << 16


class Unsatisfiable(ValueError):
    """A range outside the file."""


class ByteRange(NamedTuple):
    """Bytes from `start` to before `stop`."""

    start: int
    stop: int

    def header(self, size: int) -> str:
        """Return the Content-Range of a file of this size."""
        return f"bytes {self.start}-{self.stop - 1}/{size}"


def parse_range(header: str, size: int) -> ByteRange | None:
    """Return the part that a Range header requests; None to send the whole file.

    Several ranges, other units and malformed headers are answered with the whole file, as the RFC allows.
    Raises Unsatisfiable when the range begins behind the end.

    >>> parse_range("bytes=2-", 10), parse_range("bytes=-3", 10), parse_range("bytes=0-3,5-6", 10)
    (ByteRange(start=2, stop=10), ByteRange(start=7, stop=10), None)
    """
    match = ONE_RANGE.fullmatch(header.strip())
    if not match or not (match[1] or match[2]):
        return None
    if not match[1]:
        start, stop = max(0, size - int(match[2])), size
    else:
        start, stop = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
        if match[2] and int(match[2]) < start:
            return None
    if start >= size:
        raise Unsatisfiable(f"expected a range within {size} bytes, found {header!r}")
    return ByteRange(start, stop)


class FilePart:
    """A part of an open file, in chunks. Closing it closes the file."""

    def __init__(self, file: IO[bytes], span: ByteRange) -> None:
        self.file, self.span = file, span

    def __iter__(self) -> Iterator[bytes]:
        self.file.seek(self.span.start)
        remaining = self.span.stop - self.span.start
        while remaining and (chunk := self.file.read(min(CHUNK, remaining))):
            remaining -= len(chunk)
            yield chunk

    def close(self) -> None:
        self.file.close()

"""Files that people hand in: unpacked within a limit, decoded, and refused with the line and the wish."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import IO, Any, cast

LIMIT = 1 << 30  # bytes after unpacking, when the caller names no other limit


class BadFile(ValueError):
    """A file that cannot be taken. `str()` names the file, the line and what was expected.

    line: counts from 1, blank lines and comments included; None when the whole file is meant.
    """

    def __init__(self, wish: str, line: int | None = None, name: str = "") -> None:
        super().__init__(wish, line, name)
        self.wish, self.line, self.name = wish, line, name

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.name, f"line {self.line}" if self.line else "") if part)
        return f"{place}: {self.wish}" if place else self.wish


class BadLine(BadFile):
    """One line that cannot be taken: `raise BadLine(17, "expected 6 fields, found 5")`."""

    def __init__(self, line: int, wish: str, name: str = "") -> None:
        super().__init__(wish, line, name)

    def __reduce__(self) -> tuple[object, ...]:
        return BadLine, (self.line, self.wish, self.name)


PACKED: dict[bytes, Callable[[IO[bytes]], AbstractContextManager[IO[bytes]]]] = {
    b"\x1f\x8b": cast(Any, gzip.open),
    b"BZh": cast(Any, bz2.open),
    b"\xfd7zXZ\x00": cast(Any, lzma.open),
}  # the first bytes of a compressed file -> what opens it


def unpack(content: bytes, name: str = "", limit: int = LIMIT) -> bytes:
    """Return the bytes of a plain, gz, bz2 or xz file, told apart by their first bytes, not by their name.

    Raises BadFile when the archive is damaged or unpacks to more than `limit` bytes; reads no further.
    """
    opener = next((opener for start, opener in PACKED.items() if content.startswith(start)), nullcontext)
    try:
        with opener(io.BytesIO(content)) as packed:
            plain = packed.read(limit + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise BadFile(f"the compressed file is damaged or cut short ({error})", name=name) from error
    if len(plain) > limit:
        raise BadFile(f"expected at most {limit:,} bytes after unpacking, found more", name=name)
    return plain


def decode(content: bytes, name: str = "") -> str:
    """Return the text of UTF-8 bytes, without a byte order mark.

    Raises BadLine at the first line that is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Offsets count in error.object, which is `content` without its byte order mark.
        line = error.object.count(b"\n", 0, error.start) + 1
        found = error.object[error.start : error.start + 1].hex()
        raise BadLine(line, f"expected UTF-8 text, found the byte 0x{found}", name) from error

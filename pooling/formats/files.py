"""Submitted files: decompress within a limit, decode, and report errors with the line."""

from __future__ import annotations

import bz2
import codecs
import gzip
import importlib
import importlib.util
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any, cast

from pooling.intake.recognise import (
    BZIP2,
    GZIP,
    START_BYTES,
    UTF_8_MARK,
    XZ,
    ZSTANDARD,
    has_return_ends,
    recognise,
    wide_encoding,
)
from pooling.limits import MAX_LINE_BYTES
from pooling.refusals import Refused

UNPACKED_LIMIT = 1 << 30  # bytes after unpacking, when the caller names no other limit
BUFFER_BYTES = 1 << 17  # bytes that are unpacked at a time
XZ_MEMORY = 1 << 27  # bytes: twice what decompressing `xz -9` needs
READ_ERRORS = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)  # what reading packed bytes raises


class BadFile(Refused):
    """A file that cannot be taken. `str()` names the file, the line and what was expected.

    line: counts from 1, blank lines and comments included; None when the whole file is meant.
    """

    def __init__(self, message: str, line: int | None = None, name: str = "") -> None:
        super().__init__(message, line, name)
        self.message, self.line, self.name = message, line, name

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.name, f"line {self.line}" if self.line else "") if part)
        return f"{place}: {self.message}" if place else self.message


class BadLine(BadFile):
    """One line that cannot be taken: `raise BadLine(17, "expected 6 fields, found 5")`."""

    def __init__(self, line: int, message: str, name: str = "") -> None:
        super().__init__(message, line, name)

    def __reduce__(self) -> tuple[object, ...]:
        return BadLine, (self.line, self.message, self.name)


class ByteBudget:
    """How many bytes may still be decompressed; the members of one archive share one allowance."""

    def __init__(self, limit: int) -> None:
        self.limit, self.left = limit, limit

    def take(self, count: int, name: str) -> None:
        """Spend bytes. Raises BadFile when there are not so many left."""
        self.left -= count
        if self.left < 0:
            raise BadFile(f"expected at most {self.limit:,} bytes after unpacking, found more", name=name)


def open_unpacked(
    file: IO[bytes], name: str = "", limit: int | ByteBudget = UNPACKED_LIMIT, longest: int = MAX_LINE_BYTES
) -> io.BufferedReader:
    """Return the content of a plain or compressed text file, to be read by line or in pieces of any size.

    The compression (OPENERS) is told from the first bytes, not from the name. UTF-16 and UTF-32 with a byte
    order mark become UTF-8 with one, and carriage returns without line feeds become line ends. No more is
    unpacked than is asked for, give or take 128 KB; `file` is read from where it stands and stays open.
    limit: bytes after unpacking. longest: bytes of a line; below 128 KB it counts as 128 KB.

    Reading (and this call, which reads the first bytes) raises BadFile for a file that is not text
    (`recognise`), and where the content is damaged, cut short or beyond the limit, and BadLine where a line
    is too long or where blanks and line ends fill 128 KB. All carry `name`.
    """
    content = open_decompressed(file, name)
    start = content.peek(START_BYTES)[:START_BYTES]
    _check_text(start, name)
    if encoding := wide_encoding(start):
        content = io.BufferedReader(_Recoded(content, name, encoding), BUFFER_BYTES)
        start = content.peek(START_BYTES)[:START_BYTES]
    text: IO[bytes] = content
    if has_return_ends(start):
        text = cast(IO[bytes], _WithLineFeeds(content, name))
    allowance = limit if isinstance(limit, ByteBudget) else ByteBudget(limit)
    return io.BufferedReader(_Limited(text, name, allowance, longest), BUFFER_BYTES)


def open_decompressed(file: IO[bytes], name: str = "") -> io.BufferedReader[Any]:
    """Return the content of a plain or compressed file, whatever it is and however long.

    Reading raises BadFile where the content is damaged or cut short.
    """
    plain = io.BufferedReader(_Checked(file, name), BUFFER_BYTES)
    start = plain.peek(len(XZ))
    opener = next((opener for magic, opener in OPENERS.items() if start.startswith(magic)), None)
    if opener is None:
        return plain
    return io.BufferedReader(_Checked(opener(plain), name), BUFFER_BYTES)


def unpack(content: bytes, name: str = "", limit: int = UNPACKED_LIMIT) -> bytes:
    """Return the bytes of a plain or compressed text file as `open_unpacked` reads them.

    Plain UTF-8 comes back as it is, not copied. Raises BadFile as `open_unpacked` does; a line may be of any
    length.
    """
    start = content[:START_BYTES]
    if start.startswith(tuple(OPENERS)) or wide_encoding(start):
        return open_unpacked(io.BytesIO(content), name, limit, longest=limit).read()
    ByteBudget(limit).take(len(content), name)
    _check_text(start, name)
    return content.replace(b"\r", b"\n") if has_return_ends(start) else content


def _check_text(start: bytes, name: str) -> None:
    if kind := recognise(start):
        raise BadFile(f"expected text, found {kind}", name=name)


def read_file(path: str | os.PathLike[str], limit: int = UNPACKED_LIMIT) -> bytes:
    """Return the unpacked bytes of a plain or compressed text file. Raises BadFile when it cannot be read."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            content = file.read()
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadFile(f"expected a file that can be read, found: {reason}", name=name) from error
    return unpack(content, name, limit)


def decode(content: bytes, name: str = "") -> str:
    """Return the text of UTF-8 bytes, without a byte order mark.

    Raises BadLine at the first line that is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Offsets count in error.object, which is `content` without its byte order mark.
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start : error.start + 1].hex()
        raise BadLine(line, f"expected UTF-8 text, found the byte 0x{byte}", name) from error


class _Checked(io.RawIOBase):
    """A file that raises BadFile for every read error."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name = file, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._piece(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self._piece(BUFFER_BYTES), b""))

    def _piece(self, size: int) -> bytes:
        try:
            return self._file.read(min(size, BUFFER_BYTES)) or b""
        except READ_ERRORS as error:
            message = f"the compressed file is damaged or cut short ({error})"
            raise BadFile(message, name=self._name) from error


class _WithLineFeeds(_Checked):
    """A checked file in which every carriage return is a line feed."""

    def _piece(self, size: int) -> bytes:
        return super()._piece(size).replace(b"\r", b"\n")


class _Recoded(_Checked):
    """A checked file of another encoding, as UTF-8 that begins with a byte order mark."""

    def __init__(self, file: IO[bytes], name: str, encoding: str) -> None:
        super().__init__(file, name)
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready, self._mark = b"", UTF_8_MARK

    def _piece(self, size: int) -> bytes:
        while not self._ready:
            piece = super()._piece(BUFFER_BYTES)
            try:
                decoded = self._decoder.decode(piece, final=not piece).encode()
            except UnicodeError as error:
                message = f"expected {self._encoding.upper()} text, found bytes that are not ({error})"
                raise BadFile(message, name=self._name) from error
            if decoded:
                self._ready, self._mark = self._mark + decoded, b""
            if not piece:
                break
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken


class _Limited(_Checked):
    """A checked file that raises BadFile beyond its allowance, and BadLine where a line is too long."""

    def __init__(self, file: IO[bytes], name: str, allowance: ByteBudget, longest: int) -> None:
        super().__init__(file, name)
        self._allowance, self._longest = allowance, max(longest, BUFFER_BYTES)
        self._line, self._length = 1, 0  # the line in which the next byte stands, and its length so far

    def _piece(self, size: int) -> bytes:
        piece = super()._piece(size)
        self._allowance.take(len(piece), self._name)
        end = piece.find(b"\n")
        self._length += len(piece) if end < 0 else end
        if self._length > self._longest:
            message = f"expected at most {self._longest:,} bytes on one line, found more"
            raise BadLine(self._line, message, self._name)
        if len(piece) == BUFFER_BYTES and not piece.strip():
            # No file has so many for a reason, and a reader would look at every single line.
            message = f"expected text, found {BUFFER_BYTES:,} blanks and line ends with nothing between them"
            raise BadLine(self._line, message, self._name)
        if end >= 0:
            self._line += piece.count(b"\n")
            self._length = len(piece) - 1 - piece.rfind(b"\n")
        return piece


class _Xz(io.RawIOBase):
    """The content of an xz file. lzma.open would let a small one claim a dictionary of gigabytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._packed = file, b""
        self._stream: lzma.LZMADecompressor | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while stream := self._next():
            piece = stream.decompress(self._packed, len(buffer))
            self._packed = stream.unused_data
            self._stream = None if stream.eof else stream
            if piece:
                buffer[: len(piece)] = piece
                return len(piece)
        return 0

    def _next(self) -> lzma.LZMADecompressor | None:
        """Return the stream to go on with, and have bytes for it; None when the last one has ended."""
        while self._stream is None:
            self._packed = self._packed or self._file.read(BUFFER_BYTES)
            if not self._packed:
                return None
            self._packed = self._packed.lstrip(b"\0")  # streams may be parted by zeros
            if self._packed:
                self._stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY)
        if self._stream.needs_input and not self._packed:
            self._packed = self._file.read(BUFFER_BYTES)
            if not self._packed:
                raise EOFError("the file ends before its last stream does")
        return self._stream


OPENERS: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    GZIP: cast(Any, gzip.open),
    BZIP2: cast(Any, bz2.open),
    XZ: cast(Any, _Xz),
}  # the first bytes of a compressed file -> what opens it
if importlib.util.find_spec("compression"):  # from Python 3.14 on
    OPENERS[ZSTANDARD] = importlib.import_module("compression.zstd").open

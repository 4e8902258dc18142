"""Lines of a file, counted from 1 and decoded, and the form that the first of them gives away."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Literal

from pooling.formats.columns import BOM
from pooling.formats.files import BadFile, BadLine, decode
from pooling.formats.limits import LONGEST_LINE, LONGEST_TEXT

Bytes = Iterable[tuple[int, bytes]]  # line number and bytes, without the line end
Lines = Iterable[tuple[int, str]]  # line number and text, without the line end
Form = Literal["markup", "json", "smart", "table"]

UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Length:
    """How much one topic or document holds so far: `add` raises BadLine when it is beyond all bounds."""

    def __init__(self, line: int) -> None:
        self._line, self._count = line, 0

    def add(self, text: str | bytes) -> None:
        """Count a piece of text; one of a few characters takes as much memory as a short line."""
        self._count += max(len(text), 32)
        if self._count > LONGEST_TEXT:
            wish = f"expected at most {LONGEST_TEXT:,} characters in what begins here, found more"
            raise BadLine(self._line, wish)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Give every BadFile raised inside the name of the file, so that no reader has to carry it around."""
    try:
        yield
    except BadFile as error:
        if error.name:  # what unpacks a file names it already, with the archive around it
            raise
        named = BadLine(error.line, error.wish, name) if error.line else BadFile(error.wish, name=name)
        raise named from error.__cause__


def numbered(content: bytes | Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield every line, blank ones too, without its LF or CR LF; a file object is not read whole.

    Raises BadLine for a line beyond all bounds and for UTF-16, in which no line could be told.
    """
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    for number, line in enumerate(file, start=1):
        if len(line) > LONGEST_LINE:
            raise BadLine(number, f"expected at most {LONGEST_LINE:,} bytes on one line, found {len(line):,}")
        if number == 1 and line.startswith(UTF_16):
            raise BadLine(number, "expected UTF-8 text, found UTF-16: save the file as UTF-8")
        yield number, (line.removeprefix(BOM) if number == 1 else line).rstrip(b"\r\n")


def recognised(lines: Bytes) -> tuple[Form | None, Bytes]:
    """Return the form that the first line with something on it shows, and the lines from that one on."""
    rest = iter(lines)
    for number, line in rest:
        if line.strip():
            return _form(line), chain([(number, line)], rest)
    return None, ()


def _form(line: bytes) -> Form | None:
    start = line.lstrip()
    if start.startswith(b"<"):
        return "markup"
    if start.startswith(b"{"):
        return "json"
    if re.match(rb"\.I\b", start):
        return "smart"
    return "table" if b"\t" in line else None


def strict(lines: Bytes) -> Iterator[tuple[int, str]]:
    """Decode UTF-8 line by line. Raises BadLine at the first line that is not."""
    for number, line in lines:
        try:
            text = decode(line)
        except BadLine as error:
            raise BadLine(number, error.wish) from error.__cause__
        yield number, text

"""Lines of a file, counted from 1 and decoded, and the form that the first of them gives away."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Literal

from pooling.textfile import BadFile, BadLine, decode

Bytes = Iterable[tuple[int, bytes]]  # line number and bytes, without the line end
Lines = Iterable[tuple[int, str]]  # line number and text, without the line end
Form = Literal["markup", "json", "smart", "table"]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Give every BadFile raised inside the name of the file, so that no reader has to carry it around."""
    try:
        yield
    except BadFile as error:
        named = BadLine(error.line, error.wish, name) if error.line else BadFile(error.wish, name=name)
        raise named from error.__cause__


def numbered(content: bytes | Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield every line, blank ones too, without its LF or CR LF; a file object is not read whole."""
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    for number, line in enumerate(file, start=1):
        yield number, (line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line).rstrip(b"\r\n")


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


def tolerant(lines: Bytes) -> Iterator[tuple[int, str]]:
    """Decode line by line: UTF-8, and Latin-1 (which takes every byte) for a line that is not UTF-8."""
    for number, line in lines:
        try:
            yield number, line.decode()
        except UnicodeDecodeError:
            yield number, line.decode("latin-1")

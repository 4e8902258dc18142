"""Lines of text files and the fields of their rows: numbered, decoded, checked, and made storable."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any, Literal

from pooling.formats.columns import BOM
from pooling.formats.files import BadFile, BadLine, decode
from pooling.limits import MAX_LINE_BYTES, MAX_NAME_BYTES, MAX_TEXT_CHARACTERS

ByteLines = Iterable[tuple[int, bytes]]  # line number and bytes, without the line end
TextLines = Iterable[tuple[int, str]]  # line number and text, without the line end
TextFormat = Literal["markup", "json", "smart", "table"]

UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class TextLength:
    """How much one topic or document holds so far: `add` raises BadLine when it is beyond all bounds."""

    def __init__(self, line: int) -> None:
        self._line, self._count = line, 0

    def add(self, text: str | bytes) -> None:
        """Count a piece of text; one of a few characters takes as much memory as a short line."""
        self._count += max(len(text), 32)
        if self._count > MAX_TEXT_CHARACTERS:
            message = f"expected at most {MAX_TEXT_CHARACTERS:,} characters in what begins here, found more"
            raise BadLine(self._line, message)


@contextmanager
def naming_file(name: str) -> Iterator[None]:
    """Give every BadFile raised inside the name of the file, so that no reader has to carry it around."""
    try:
        yield
    except BadFile as error:
        if not error.name:  # what unpacks a file names it already, with the archive around it
            error.name = name
        raise


def number_lines(content: bytes | Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield every line, blank ones too, without its LF or CR LF; a file object is not read whole.

    Raises BadLine for a line over the size limit and for UTF-16 input.
    """
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    for number, line in enumerate(file, start=1):
        if len(line) > MAX_LINE_BYTES:
            raise BadLine(
                number, f"expected at most {MAX_LINE_BYTES:,} bytes on one line, found {len(line):,}"
            )
        if number == 1 and line.startswith(UTF_16):
            raise BadLine(number, "expected UTF-8 text, found UTF-16: save the file as UTF-8")
        yield number, line.removeprefix(BOM).rstrip(b"\r\n")


def detect_format(lines: ByteLines) -> tuple[TextFormat | None, ByteLines]:
    """Return the form that the first line with something on it shows, and the lines from that one on."""
    rest = iter(lines)
    for number, line in rest:
        if line.strip():
            return _form(line), chain([(number, line)], rest)
    return None, ()


def _form(line: bytes) -> TextFormat | None:
    start = line.lstrip()
    if start.startswith(b"<"):
        return "markup"
    if start.startswith(b"{"):
        return "json"
    if re.match(rb"\.I\b", start):
        return "smart"
    return "table" if b"\t" in line else None


def decode_lines(lines: ByteLines) -> Iterator[tuple[int, str]]:
    """Decode UTF-8 line by line. Raises BadLine at the first line that is not."""
    for number, line in lines:
        try:
            text = decode(line)
        except BadLine as error:
            raise BadLine(number, error.message) from error.__cause__
        yield number, text


Row = tuple[int, Mapping[str, Any]]  # line number; column or key -> value

MAX_COLUMNS = 1000
# Control characters and halves of surrogate pairs: no identifier holds them and no database stores them all.
_UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def quoted(text: str) -> str:
    """Return `text` as a message quotes it: short, on one line, and unprintable characters escaped."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."


def check_identifier(text: str, line: int, what: str, longest: int = MAX_NAME_BYTES) -> str:
    """Return a topic number or docno without the blanks around it.

    longest: bytes of UTF-8, the limit that runs and qrels have, too. Raises BadLine when it is missing,
    longer, or holds a blank or control character.
    """
    text = text.strip()
    if not text:
        raise BadLine(line, f"expected a {what}, found none")
    if _UNUSABLE.search(text):
        raise BadLine(line, f"expected a {what} without blanks or control characters, found {quoted(text)}")
    if (length := len(text.encode())) > longest:
        raise BadLine(line, f"expected a {what} of at most {longest} bytes, found {length:,}")
    return text


def replace_unstorable(text: str) -> str:
    """Replace NUL and lone surrogates, which JSON can spell but UTF-8 or a database cannot hold."""
    return _UNSTORABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Return a title: every run of blanks and line ends is one blank."""
    return " ".join(replace_unstorable(text).split())


def paragraphs(text: str) -> str:
    """Undo hard wrapping: a paragraph becomes one line, and an empty line stands between two."""
    lines = (one_line(paragraph) for paragraph in re.split(r"\n\s*\n", text))
    return "\n\n".join(paragraph for paragraph in lines if paragraph)


def resolve_entities(text: str) -> str:
    """Replace `&amp;`, `&#233;` and their like; an unknown name and a bare & stay as they are."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def json_rows(lines: TextLines) -> Iterator[Row]:
    """Yield the object on every line of a JSON Lines file; blank lines are skipped.

    Raises BadLine when a line is not JSON, nests too deeply or is not an object.
    """
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = (
                f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else error
            )
            raise BadLine(
                number, f"expected one JSON object on the line, found bad JSON ({reason})"
            ) from error
        if not isinstance(value, dict):
            raise BadLine(number, f"expected one JSON object on the line, found {quoted(line)}")
        yield number, value

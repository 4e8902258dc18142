"""A document as read from a file, the file it is read from, and a decoder that counts repaired bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pooling.formats.documents.facts import Facts
from pooling.formats.documents.xml import Elements
from pooling.formats.text import (
    ByteLines,
    TextLength,
    TextLines,
    check_identifier,
    number_lines,
    one_line,
    replace_unstorable,
)

_WEB_ENCODING = re.compile(  # excludes codecs of Python that are not character sets: idna, unicode_escape ...
    r"(?:utf-?(?:8|16|32)|iso|windows|cp|latin|koi|gb|big5|euc|shift|sjis|(?:us-)?ascii|mac|tis)",
    re.IGNORECASE,
)


class DocumentRecord(NamedTuple):
    """A document of a file. All fields but the docno may be empty (as in Cranfield's 471 and 995).

    facts: further metadata as (name, value): date, author, source ...
    """

    docno: str
    title: str
    text: str
    url: str
    facts: Facts = ()


Documents = Iterator[DocumentRecord]


def document_record(
    line: int, docno: str, title: str, text: str, url: str, facts: Facts = ()
) -> DocumentRecord:
    """Return a record that can be stored. Raises BadLine for an invalid docno or a text that is too long."""
    docno = check_identifier(docno, line, "docno")
    TextLength(line).add(text)
    return DocumentRecord(
        docno, one_line(title), replace_unstorable(text), replace_unstorable(url).strip(), facts
    )


def join_nonempty(texts: Iterable[str], gap: str) -> str:
    """Join the texts that are not empty."""
    return gap.join(filter(None, texts))


class Decoder:
    """Decodes bytes. repairs: how many lines or texts could not be decoded as declared."""

    def __init__(self) -> None:
        self.repairs = 0

    def lines(self, lines: ByteLines) -> Iterator[tuple[int, str]]:
        """Decode each line separately, because a concatenated file may contain several encodings."""
        for number, line in lines:
            try:
                text = line.decode()
            except UnicodeDecodeError:
                text = self._repaired(line)
            yield number, text

    def text(self, content: bytes, encoding: str = "") -> str:
        """Decode a whole text by its byte order mark, as the given encoding, or as UTF-8."""
        marked = next((name for mark, name in MARKS if content.startswith(mark)), "")
        named = encoding if _WEB_ENCODING.match(encoding) else ""
        for known in filter(None, (marked, named, "utf-8")):
            try:
                return content.decode(known)
            except (LookupError, ValueError):  # unknown encoding, or the content has another one
                continue
        return self._repaired(content)

    def _repaired(self, content: bytes) -> str:
        """Return damaged UTF-8 with replacement characters, other content as Windows-1252 or Latin-1."""
        self.repairs += 1
        text = content.decode(errors="replace")
        if _OUTSIDE_ASCII.search(text):
            return text
        try:
            return content.decode("cp1252")
        except UnicodeDecodeError:
            return content.decode("latin-1")


_OUTSIDE_ASCII = re.compile("[^\x00-\x7f\ufffd]")
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True)
class Source:
    """content: the lines of the file with line ends. name: with folders. as_html: pages stay HTML.

    fields: field of a row -> meaning, as a person says it. left: field with a long text that was not read ->
    how many documents have it; it grows while the file is read.
    """

    content: Iterator[bytes]
    name: str = ""
    elements: Elements | None = None
    as_html: bool = False
    decoder: Decoder = field(default_factory=Decoder)
    fields: Mapping[str, str] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)

    def lines(self) -> TextLines:
        """Yield every line's number and text."""
        return self.decoder.lines(number_lines(self.content))

    def whole(self) -> bytes:
        """Return the rest of the file. Raises BadLine if it is longer than a document may be."""
        pieces, length = [], TextLength(0)
        for piece in self.content:
            length.add(piece)
            pieces.append(piece)
        return b"".join(pieces)

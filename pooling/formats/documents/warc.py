"""WARC (ISO 28500), the file format of web crawlers; needs the optional package warcio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pooling.formats.documents.facts import facts_of, facts_of_page
from pooling.formats.documents.pages import declared_encoding, read_page, web_encoding
from pooling.formats.documents.record import Documents, Source, document_record
from pooling.formats.files import BadFile
from pooling.formats.text import quoted
from pooling.limits import MAX_TEXT_CHARACTERS

RECORD_TYPES = ("response", "resource", "conversion")  # a page, a file, and text converted from one
HTML_TYPES = ("text/html", "application/xhtml+xml")
MAX_HEADER_BYTES = 1 << 20  # bytes of the header of a record and its HTTP header


class _Record(NamedTuple):
    docno: str
    url: str
    kind: str  # the media type: "text/html"
    encoding: str
    content: bytes
    date: str  # when it was crawled, ISO 8601


def from_warc(source: Source) -> Documents:
    """Yield the pages and plain texts among the records; other media types are skipped.

    The docno is WARC-TREC-ID (ClueWeb's), else the record id without `urn:uuid:`. Raises BadFile when
    warcio is not installed, and when a record is damaged, truncated or too long.
    """
    for number, record in enumerate(_records(source.content), start=1):
        try:
            encoding = record.encoding or declared_encoding(record.content)
            text = source.decoder.text(record.content, encoding)
            title, facts = "", facts_of([("crawled", record.date)])
            if record.kind in HTML_TYPES:
                page = read_page(text)
                facts = facts_of([*facts_of_page(text), *facts])
                title, text = page.title, text if source.as_html else page.text
            yield document_record(0, record.docno, title, text.replace("\r\n", "\n"), record.url, facts)
        except BadFile as error:
            raise BadFile(f"{error.message} (document {number})") from error


def _records(content: Iterator[bytes]) -> Iterator[_Record]:
    try:
        from warcio.archiveiterator import WARCIterator
    except ImportError as error:
        raise BadFile("WARC needs the package warcio: pip install warcio") from error
    stream = _Stream(content)
    records = WARCIterator(stream)
    while True:
        try:
            stream.allow(MAX_HEADER_BYTES)
            record = next(records, None)
            stream.allow(None)
            if record is None:
                return
            page = _page_or_text(record)
            _skip_rest(record)
        except BadFile:
            raise
        except Exception as error:  # warcio does not catch exceptions that a damaged record causes
            reason = quoted(str(error)[:200])  # which may quote a line of any length
            raise BadFile(f"the WARC file is damaged or cut short ({reason})") from error
        if page:
            yield page


class _Stream:
    """A file for warcio that limits the length of headers, because warcio does not."""

    def __init__(self, content: Iterator[bytes]) -> None:
        self._content, self._rest = content, b""
        self._allowed: int | None = None

    def allow(self, size: int | None) -> None:
        """Allow this number of bytes until the next call; None removes the limit."""
        self._allowed = size

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size`, none at the end."""
        if not self._rest:
            self._rest = next(self._content, b"")
        content, self._rest = self._rest[:size], self._rest[size:]
        if self._allowed is not None:
            self._allowed -= len(content)
            if self._allowed < 0:
                raise BadFile(f"expected headers of at most {MAX_HEADER_BYTES:,} bytes, found longer ones")
        return content


def _page_or_text(record: Any) -> _Record | None:
    """Return the page or text of a record; None for other types of records and of content."""
    if record.rec_type not in RECORD_TYPES:
        return None
    kind, encoding = _media_type(record)
    content = _content(record) if kind in HTML_TYPES or kind in ("", "text/plain") else b""
    kind = kind or ("text/html" if content.lstrip()[:1] == b"<" else "text/plain")
    if not content:
        return None
    header = record.rec_headers.get_header
    docno = header("WARC-TREC-ID") or (header("WARC-Record-ID") or "").strip("<>").removeprefix("urn:uuid:")
    return _Record(docno, header("WARC-Target-URI") or "", kind, encoding, content, header("WARC-Date") or "")


def _media_type(record: Any) -> tuple[str, str]:
    headers = record.http_headers or record.rec_headers
    kind, _, parameters = (headers.get_header("Content-Type") or "").lower().partition(";")
    _, _, encoding = parameters.partition("charset=")
    return kind.strip(), web_encoding(encoding.partition(";")[0].strip(" \"'"))


def _content(record: Any) -> bytes:
    """Return the whole content of a record, decompressed and without HTTP chunking."""
    stream, pieces, size = record.content_stream(), [], 0
    while piece := stream.read(1 << 16):
        size += len(piece)
        if size > MAX_TEXT_CHARACTERS:
            raise BadFile(f"expected pages of at most {MAX_TEXT_CHARACTERS:,} bytes, found a longer one")
        pieces.append(piece)
    return b"".join(pieces)


def _skip_rest(record: Any) -> None:
    """Read the rest of a record. Raises EOFError when the file ends inside it."""
    while record.raw_stream.read(1 << 16):
        pass
    if getattr(record.raw_stream, "limit", 0) > 0:
        raise EOFError("the file ends inside a record")

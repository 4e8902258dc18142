"""Readers that yield the documents of a file, an archive or a folder in any known format, one at a time."""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import IO

import numpy as np

from pooling.formats import markup
from pooling.formats.columns import BOM
from pooling.formats.documents import xml
from pooling.formats.documents.facts import facts_of
from pooling.formats.documents.pages import from_html, from_text, suffix
from pooling.formats.documents.record import (
    Decoder,
    DocumentRecord,
    Documents,
    Source,
    document_record,
    join_nonempty,
)
from pooling.formats.documents.rows import delimiter, from_csv, from_json, from_json_lines, from_table
from pooling.formats.documents.sgml import from_sgml
from pooling.formats.documents.warc import from_warc
from pooling.formats.documents.xml import PRESETS, Elements
from pooling.formats.files import BadFile
from pooling.formats.text import naming_file

EXPECTED_DOCUMENTS = (
    "expected documents: TREC SGML (<DOC><DOCNO>...), JSON Lines, tab-separated lines "
    "(docno, text; docno, title, text; docno, url, title, text), CSV with a header, XML with a mapping, WARC "
    "or SMART (.I, .T and .W)"
)
LOOKAHEAD_BYTES = 1 << 16  # bytes from which the format is detected
_KNOWN = re.compile(rb"<(doc|reuters|rec|article)(?=[\s/>])", re.IGNORECASE)
_KNOWN_FORM = {b"doc": "trec", b"reuters": "reuters", b"rec": "ntcir", b"article": "inex"}
_PAGE = re.compile(
    rb"\s*+(?:<\?xml[^>]*>\s*+)?(?><!--.*?-->\s*+)*+<(?:!doctype\s+html|html|head)\b", re.I | re.S
)


class DocumentReader(Iterator[DocumentRecord]):
    """An iterator over documents that counts them.

    documents: the number read so far. repaired: how many of these contain uncertain characters: bytes that
    are not UTF-8 and were decoded as Windows-1252 or Latin-1, or the replacement character U+FFFD. left:
    field with a long text that was not read -> how many documents have it.
    """

    def __init__(self, records: Documents, decoder: Decoder, left: Mapping[str, int] | None = None) -> None:
        self._records, self._decoder = records, decoder
        self.left: Mapping[str, int] = {} if left is None else left
        self._hashes, self._text_hashes = array("q"), array("q")
        self._repairs = 0
        self.documents = self.repaired = 0

    def __next__(self) -> DocumentRecord:
        record = next(self._records)
        self.documents += 1
        self._hashes.append(hash(record.docno))
        self._text_hashes.append(hash((record.docno, record.title, record.text)))
        has_replacements = "\ufffd" in record.text or "\ufffd" in record.title
        self.repaired += has_replacements or self._decoder.repairs > self._repairs
        self._repairs = self._decoder.repairs
        return record

    @property
    def repeated(self) -> int:
        """The number of documents whose docno occurred before. Each access sorts 8 bytes per document."""
        return self.documents - _count_distinct(self._hashes)

    @property
    def repeated_otherwise(self) -> int:
        """The number of different titles and texts beyond the first of each docno."""
        return _count_distinct(self._text_hashes) - _count_distinct(self._hashes)


def _count_distinct(hashes: array[int]) -> int:
    return len(np.unique(np.frombuffer(hashes, dtype=np.int64)))


def read_documents(
    content: bytes | Iterable[bytes],
    name: str = "",
    form: str = "",
    elements: Elements | None = None,
    as_html: bool = False,
    fields: Mapping[str, str] | None = None,
) -> DocumentReader:
    """Return a reader of the documents of a file, in their order.

    form: one of FORMS; "" detects it from the content, except for a file that is a single text or page.
    - "trec": SGML. The texts of all <TEXT> elements are joined by an empty line, without inner tags such as
      <P> and with entities such as `&amp;` resolved. Without a <TEXT>, the text is everything outside the
      other known tags, unchanged (a web page). The title is the first of TITLE, HEADLINE, HL, TI and AP's
      HEAD that is not empty; the URL is <URL>, or the first word of <DOCHDR> if it is a URL.
    - "xml": `elements` maps elements to fields (`xml.parse_mapping`); "clef", "inex", "ntcir" and "reuters"
      are the mappings of those collections.
    - "jsonl"; "json", an array; "tsv", whose columns follow from a header or from their number; "csv" with a
      header. What a field holds follows from its name (`intake.fields.DOCUMENTS`), or from `fields`: field ->
      meaning.
    - "smart": the text is author (.A) and source (.B), an empty line, the abstract (.W), then keywords (.K).
    - "warc": the web pages and plain texts among the records.
    - "text" and "html": the file is one document, and its name is the docno.
    Other short metadata (date, author, source, section, or further fields of a row) become facts.
    as_html: the text of a page stays HTML, which must be sanitized before it is shown; otherwise it is the
    visible text.

    content: plain bytes, or an iterable of lines of bytes, such as the result of `files.open_unpacked`. It is
    read one document at a time; a document has at most 8 million characters. Exceptions of the file object
    pass through. A line that is not UTF-8 is repaired and counted. A repeated docno is counted; the caller
    decides what to do with it.
    Raises, while it is iterated, BadFile when there is no document; BadLine when a docno is missing, contains
    blanks or is longer than 200 characters, and for a malformed line. Both contain `name`.
    """
    decoder = Decoder()
    lines = iter(io.BytesIO(content) if isinstance(content, bytes) else content)
    source = Source(lines, name, elements, as_html, decoder, fields or {})
    return DocumentReader(_read(source, form, _detect, name), decoder, source.left)


def read_collection(
    files: Iterable[tuple[str, IO[bytes]]],
    name: str = "",
    form: str = "",
    elements: Elements | None = None,
    as_html: bool = False,
    fields: Mapping[str, str] | None = None,
) -> DocumentReader:
    """Return a reader of the documents of many files, from `archives.archive_files` or `folder_files`.

    As read_documents, except that a file of no detected format is one document, a page or a plain text. A
    table must be named .tsv or .csv, because the first line of a text may contain tabs and commas. Repeated
    docnos are counted over all files. Errors contain `name` and the name of the file.
    """
    decoder, left = Decoder(), dict[str, int]()

    def documents() -> Documents:
        for path, file in files:
            source = Source(iter(file), path, elements, as_html, decoder, fields or {}, left)
            yield from _read(source, form, _detect_among_files, f"{name}/{path}" if name else path)

    return DocumentReader(_at_least_one(documents(), name), decoder, left)


def _read(source: Source, form: str, detect: Callable[[bytes, Source], str], name: str) -> Documents:
    with naming_file(name):
        start, lines = _ahead(source.content)
        form = form or detect(start, source)
        if form and form not in FORMS:
            raise BadFile(f"expected one of the formats {', '.join(FORMS)}, found {form[:40]!r}")
        source = replace(source, content=lines)
        yield from _at_least_one(FORMS[form](source) if form else iter(()), "")


def _at_least_one(documents: Documents, name: str) -> Documents:
    first = next(documents, None)
    if first is None:
        raise BadFile(f"{EXPECTED_DOCUMENTS}; found none", name=name)
    yield first
    yield from documents


def _ahead(lines: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first lines, as far as the detection of the format needs them, and all lines."""
    first_lines: list[bytes] = []
    size = 0
    markup = None
    for line in lines:
        first_lines.append(line)
        size += len(line)
        if markup is None and line.strip():
            markup = line.lstrip().startswith((b"<", BOM + b"<"))
        if size > LOOKAHEAD_BYTES or markup is False or _KNOWN.search(line, 0, LOOKAHEAD_BYTES):
            break
    return b"".join(first_lines)[:LOOKAHEAD_BYTES].removeprefix(BOM), chain(first_lines, lines)


def _detect(start: bytes, source: Source) -> str:
    """Return the format of a file of several documents, "" if none is detected."""
    first = start.lstrip()
    if first.startswith(b"<"):
        known = None if _PAGE.match(start) else _KNOWN.search(start)
        return "xml" if source.elements else _KNOWN_FORM[known[1].lower()] if known else "trec"
    if first.startswith(b"{"):
        return "jsonl"
    if re.match(rb"\[\s*\{", first):
        return "json"
    if re.match(rb"WARC/[0-9]", first):
        return "warc"
    if re.match(rb"\.I\b", first):
        return "smart"
    line = first.partition(b"\n")[0]
    mark = delimiter(line.decode(errors="replace").rstrip("\r"), source.fields)
    if b"\t" in line or mark == "\t":
        return "tsv"
    return "csv" if mark else ""


def _detect_among_files(start: bytes, source: Source) -> str:
    """Return the format of one file among many."""
    ending = suffix(source.name)
    form = _detect(start, source)
    if form == "trec" and (_PAGE.match(start) or not _KNOWN.search(start)):
        form = ""
    if form in ("tsv", "csv") and ending not in ("tsv", "tab", "csv"):
        form = ""
    if form:
        return form
    if _PAGE.match(start) or ending in ("html", "htm", "xhtml"):
        return "html"
    if start.lstrip().startswith(b"<?xml"):
        raise BadFile("expected XML that is known (CLEF, INEX, NTCIR, Reuters), or a mapping of its elements")
    return "text"


def _from_smart(source: Source) -> Documents:
    for entry in markup.smart_entries(source.lines()):
        head = join_nonempty([entry.text("A"), entry.text("B")], "\n")
        text = join_nonempty([head, entry.text("W"), entry.text("K")], "\n\n")
        facts = facts_of([("author", entry.text("A")), ("source", entry.text("B"))])
        yield document_record(entry.line, entry.label, entry.text("T"), text, "", facts)


def _from_xml(source: Source) -> Documents:
    if source.elements is None:
        raise BadFile(f"expected {xml.EXPECTED_MAPPING}")
    return _of_elements(source, source.elements)


def _from_preset(elements: Elements) -> Callable[[Source], Documents]:
    return lambda source: _of_elements(source, elements)


def _of_elements(source: Source, elements: Elements) -> Documents:
    return (document_record(*fields) for fields in xml.documents_in(source.lines(), elements))


FORMS: Mapping[str, Callable[[Source], Documents]] = {
    "trec": from_sgml,
    "jsonl": from_json_lines,
    "json": from_json,
    "tsv": from_table,
    "csv": from_csv,
    "smart": _from_smart,
    "xml": _from_xml,
    "warc": from_warc,
    "text": from_text,
    "html": from_html,
} | {name: _from_preset(elements) for name, elements in PRESETS.items()}

"""The documents of a file, an archive or a folder, whatever form they are in, one at a time."""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from pooling.formats.documents.rows import delimiter, from_csv, from_json, from_table
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
LOOKAHEAD_BYTES = 1 << 16  # bytes in which a form must show
_KNOWN = re.compile(rb"<(doc|reuters|rec|article)(?=[\s/>])", re.IGNORECASE)
_KNOWN_FORM = {b"doc": "trec", b"reuters": "reuters", b"rec": "ntcir", b"article": "inex"}
_PAGE = re.compile(
    rb"\s*+(?:<\?xml[^>]*>\s*+)?(?><!--.*?-->\s*+)*+<(?:!doctype\s+html|html|head)\b", re.I | re.S
)


class DocumentReader(Iterator[DocumentRecord]):
    """Documents as they are read, and what is to be said of them afterwards.

    documents: how many there were so far. repaired: how many of them hold characters that are not certain:
    bytes that were not UTF-8 and were read as Windows-1252 or Latin-1, or the mark U+FFFD for a lost one.
    """

    def __init__(self, found: Documents, decoder: Decoder) -> None:
        self._found, self._decoder = found, decoder
        self._hashes = array("q")
        self._repairs = 0
        self.documents = self.repaired = 0

    def __next__(self) -> DocumentRecord:
        found = next(self._found)
        self.documents += 1
        self._hashes.append(hash(found.docno))
        has_replacements = "\ufffd" in found.text or "\ufffd" in found.title
        self.repaired += has_replacements or self._decoder.repairs > self._repairs
        self._repairs = self._decoder.repairs
        return found

    @property
    def repeated(self) -> int:
        """The number of documents whose docno occurred before. Each access sorts 8 bytes per document."""
        return self.documents - len(np.unique(np.frombuffer(self._hashes, dtype=np.int64)))


def read_documents(
    content: bytes | Iterable[bytes],
    name: str = "",
    form: str = "",
    elements: Elements | None = None,
    as_html: bool = False,
) -> DocumentReader:
    """Return a reading of a file's documents in their order.

    form: one of FORMS; "" has it told from the content, which finds all but single texts and pages.
    - "trec": SGML. Every <TEXT> counts, parted by an empty line, without <P> and the like and with `&amp;`
      resolved; without any <TEXT> the text is all that stands outside the other known tags, as it stands (a
      web page). The title is the first of TITLE, HEADLINE, HL, TI and AP's HEAD that is not empty; the URL is
      <URL> or the first word of <DOCHDR> if that is an address.
    - "xml": `elements` says which element is what (`elements.mapping`); "clef", "inex", "ntcir" and "reuters"
      are the mappings of those collections.
    - "jsonl"; "tsv", in which a header or the number of fields says which is which; "csv" with a header.
    - "smart": the text is author (.A) and source (.B), an empty line, the abstract (.W), then keywords (.K).
    - "warc": the pages and texts among its records.
    - "text" and "html": the file is one document, and its name the docno.
    What else short is said of a document (date, author, source, section, or the fields of a row that are none
    of the four) is among its facts.
    as_html: a page's text stays HTML, to be cleaned where it is shown; otherwise it is what a person reads.

    content: plain bytes, or what yields lines of bytes: `textfile.opened`. It is read one document at a time,
    and no document may be longer than 8 million characters. What the file object itself raises passes
    through. A line that is not UTF-8 is repaired and counted; a docno that comes twice is counted, and the
    caller's to settle.
    Raises, while it is iterated, BadFile when there is no document; BadLine when a docno is missing, holds
    blanks or is longer than 200 characters, and when a line is not as its form asks. Both carry `name`.
    """
    decoder = Decoder()
    lines = iter(io.BytesIO(content) if isinstance(content, bytes) else content)
    return DocumentReader(
        _read(Source(lines, name, elements, as_html, decoder), form, _recognised, name), decoder
    )


def read_collection(
    files: Iterable[tuple[str, IO[bytes]]],
    name: str = "",
    form: str = "",
    elements: Elements | None = None,
    as_html: bool = False,
) -> DocumentReader:
    """Return a reading of the documents of many files: `archive.members` or `archive.folder`.

    As read_documents, and a file that shows no form is one document, a page or a plain text; a table has to
    be named .tsv or .csv, because a text may hold tabs and commas in its first line. The docnos of all files
    count together. Errors carry `name` and the file's.
    """
    decoder = Decoder()

    def found() -> Documents:
        for path, file in files:
            source = Source(iter(file), path, elements, as_html, decoder)
            yield from _read(source, form, _recognised_among, f"{name}/{path}" if name else path)

    return DocumentReader(_some(found(), name), decoder)


def _read(source: Source, form: str, recognise: Callable[[bytes, Source], str], name: str) -> Documents:
    with naming_file(name):
        start, lines = _ahead(source.content)
        form = form or recognise(start, source)
        if form and form not in FORMS:
            raise BadFile(f"expected one of the forms {', '.join(FORMS)}, found {form[:40]!r}")
        source = Source(lines, source.name, source.elements, source.as_html, source.decoder)
        yield from _some(FORMS[form](source) if form else iter(()), "")


def _some(found: Documents, name: str) -> Documents:
    first = next(found, None)
    if first is None:
        raise BadFile(f"{EXPECTED_DOCUMENTS}; found none", name=name)
    yield first
    yield from found


def _ahead(lines: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first lines, up to one in which a form may show, and all lines."""
    read: list[bytes] = []
    size = 0
    markup = None
    for line in lines:
        read.append(line)
        size += len(line)
        if markup is None and line.strip():
            markup = line.lstrip().startswith((b"<", BOM + b"<"))
        if size > LOOKAHEAD_BYTES or markup is False or _KNOWN.search(line, 0, LOOKAHEAD_BYTES):
            break
    return b"".join(read)[:LOOKAHEAD_BYTES].removeprefix(BOM), chain(read, lines)


def _recognised(start: bytes, source: Source) -> str:
    """Return the form of a file that holds several documents, "" when none shows."""
    first = start.lstrip()
    if first.startswith(b"<"):
        known = None if _PAGE.match(start) else _KNOWN.search(start)
        return "xml" if source.elements else _KNOWN_FORM[known[1].lower()] if known else "trec"
    if first.startswith(b"{"):
        return "jsonl"
    if re.match(rb"WARC/[0-9]", first):
        return "warc"
    if re.match(rb"\.I\b", first):
        return "smart"
    line = first.partition(b"\n")[0]
    if b"\t" in line:
        return "tsv"
    return "csv" if delimiter(line.decode(errors="replace").rstrip("\r")) else ""


def _recognised_among(start: bytes, source: Source) -> str:
    """Return the form of one file among many."""
    ending = suffix(source.name)
    form = _recognised(start, source)
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
    return (document_record(*found) for found in xml.documents_in(source.lines(), elements))


FORMS: Mapping[str, Callable[[Source], Documents]] = {
    "trec": from_sgml,
    "jsonl": from_json,
    "tsv": from_table,
    "csv": from_csv,
    "smart": _from_smart,
    "xml": _from_xml,
    "warc": from_warc,
    "text": from_text,
    "html": from_html,
} | {name: _from_preset(elements) for name, elements in PRESETS.items()}

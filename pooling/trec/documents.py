"""Documents: what the judges read, from the forms in which collections are handed out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pooling.textfile import BadFile, BadLine
from pooling.trec import markup, smart
from pooling.trec.fields import Row, choose, identifier, json_rows, one_line, resolved, storable, table_rows
from pooling.trec.lines import Bytes, Form, naming, numbered, recognised, strict, tolerant

WISH = (
    "expected documents: TREC SGML (<DOC><DOCNO>...), JSON Lines, tab-separated lines "
    "(docno, text; docno, title, text; docno, url, title, text) or SMART (.I, .T and .W)"
)


class DocumentRecord(NamedTuple):
    """A document as its file says it; all but the docno may be empty (Cranfield's 471 and 995 are)."""

    docno: str
    title: str
    text: str
    url: str


KEYS = {
    "docno": ("docno", "id", "_id", "doc_id", "docid"),
    "title": ("title",),
    "text": ("text", "contents", "body", "abstract"),
    "url": ("url",),
}
LAYOUTS = {2: ("docno", "text"), 3: ("docno", "title", "text"), 4: ("docno", "url", "title", "text")}
TITLE_TAGS = ("title", "headline", "hl", "ti")  # first choice first
TAGS = ("docno", "text", "url", "dochdr", *TITLE_TAGS)
_AP_HEADLINE = re.compile(r"<HEAD>([^<>]*)</HEAD>")  # no field: a web page may leave its <head> open
# The tags that TREC's own collections set inside <TEXT> (<P>, <F P=105>) are in capitals.
_INNER_TAG = re.compile(r"</?[A-Z][A-Z0-9]*(?:\s[^<>]*)?>|<!--[^<>]*-->")


def read_documents(content: bytes | Iterable[bytes], name: str = "") -> Iterator[DocumentRecord]:
    """Yield the documents of a file in their order; its form is told from its content, not from its name.

    Known are JSON Lines, tab-separated lines (a header, or the number of fields in the first line, says which
    is which), SMART, and TREC SGML, in which a line that is not UTF-8 is read as Latin-1.
    - SGML: every <TEXT> counts, parted by an empty line, without <P> and the like and with `&amp;` resolved;
      without any <TEXT> the text is all that stands outside the other known tags, as it stands (a web page).
      The title is the first of TITLE, HEADLINE, HL, TI and AP's HEAD that is not empty; the URL is <URL> or
      the first word of <DOCHDR> if that is an address.
    - SMART: the text is author (.A) and source (.B), an empty line, the abstract (.W), then keywords (.K).

    content: plain bytes, or a file object opened for bytes (anything that yields lines of bytes), read one
    document at a time; what the file object itself raises passes through.
    A docno that comes twice is the caller's to refuse, who keeps the documents: nothing is remembered here.
    Raises, while it is iterated, BadFile when there is no document; BadLine when a docno is missing, holds
    blanks or is longer than 200 characters, and when a line is not as its form asks. Both carry `name`.
    """
    with naming(name):
        form, lines = recognised(numbered(content))
        document = None
        for document in FORMS[form](lines) if form else ():
            yield document
        if document is None:
            raise BadFile(f"{WISH}; found none")


def _document(line: int, docno: str, title: str, text: str, url: str) -> DocumentRecord:
    docno = identifier(docno, line, "docno")
    return DocumentRecord(docno, one_line(title), storable(text), storable(url).strip())


def _from_rows(rows: Iterator[Row]) -> Iterator[DocumentRecord]:
    for row in rows:
        docno, title, text, url = (choose(row, keys) for keys in KEYS.values())
        document = _document(row[0], docno or "", title or "", text or "", url or "")
        if title is None and text is None:
            raise BadLine(row[0], f"expected a text or a title for document {document.docno}, found neither")
        yield document


def _from_json(lines: Bytes) -> Iterator[DocumentRecord]:
    return _from_rows(json_rows(strict(lines)))


def _from_table(lines: Bytes) -> Iterator[DocumentRecord]:
    return _from_rows(table_rows(strict(lines), KEYS, LAYOUTS, uniform=True))


def _from_smart(lines: Bytes) -> Iterator[DocumentRecord]:
    for entry in smart.entries(strict(lines)):
        head = _joined([entry.text("A"), entry.text("B")], "\n")
        text = _joined([head, entry.text("W"), entry.text("K")], "\n\n")
        yield _document(entry.line, entry.label, entry.text("T"), text, "")


def _from_markup(lines: Bytes) -> Iterator[DocumentRecord]:
    for block in markup.blocks(tolerant(lines), ("doc",), TAGS):
        docnos = [part for part in block.parts if part.tag == "docno"]
        if len(docnos) > 1:
            raise BadLine(docnos[1].line, "expected one <DOCNO> per document, found a second")
        line, docno = (docnos[0].line, docnos[0].text) if docnos else (block.line, "")
        texts = [part.text for part in block.parts if part.tag == "text"]
        text = _joined(map(_plain, texts), "\n\n") if texts else block.parts[0].text.strip()
        yield _document(line, docno, _title(block), text, _url(block))


def _title(block: markup.Block) -> str:
    candidates = [[part.text for part in block.parts if part.tag == tag] for tag in TITLE_TAGS]
    candidates.append(_AP_HEADLINE.findall(block.parts[0].text))
    titles = (_joined(map(_plain, texts), " ") for texts in candidates)
    return next(filter(None, titles), "")


def _url(block: markup.Block) -> str:
    for part in block.parts:
        first = part.text.split(maxsplit=1)[:1]
        if first and (part.tag == "url" or (part.tag == "dochdr" and "://" in first[0])):
            return first[0]
    return ""


def _plain(text: str) -> str:
    """Return what a person reads of TREC's SGML: no tags in capitals, no entities, no rows of empty lines."""
    lines = resolved(_INNER_TAG.sub("", text)).split("\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")


def _joined(texts: Iterable[str], gap: str) -> str:
    return gap.join(filter(None, texts))


FORMS: dict[Form, Callable[[Bytes], Iterator[DocumentRecord]]] = {
    "markup": _from_markup,
    "json": _from_json,
    "smart": _from_smart,
    "table": _from_table,
}

"""TREC SGML: <DOC> and <DOCNO>, and the element names that the TREC collections use."""

from __future__ import annotations

import re

from pooling.formats import markup
from pooling.formats.documents.facts import Facts, facts_of
from pooling.formats.documents.record import Documents, Source, document_record, join_nonempty
from pooling.formats.files import BadLine
from pooling.formats.text import resolve_entities

TITLE_TAGS = ("title", "headline", "hl", "ti")  # first choice first
TAGS = ("docno", "text", "url", "dochdr", *TITLE_TAGS)
FACT_TAGS = {  # as the newswires of TREC and AQUAINT, the Federal Register and FBIS name them
    "date": "date", "date1": "date", "date_time": "date", "byline": "author", "author": "author",
    "au": "author", "source": "source", "pub": "source", "dateline": "dateline", "section": "section",
    "page": "page", "category": "category", "subject": "subject",
}  # fmt: skip
MAX_FACT_SOURCE = 2000  # characters of such an element that are read
_FACT = re.compile(rf"<(/?)({'|'.join(FACT_TAGS)})(?:\s[^<>]*)?>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]*>")
_AP_HEADLINE = re.compile(r"<HEAD>([^<>]*)</HEAD>")  # not a field, because a web page may leave <head> open
# The tags that TREC's own collections set inside <TEXT> (<P>, <F P=105>) are in upper case.
_INNER_TAG = re.compile(r"</?[A-Z][A-Z0-9]*(?:\s[^<>]*)?>|<!--[^<>]*-->")


def from_sgml(source: Source) -> Documents:
    """Yield the documents between <DOC> and </DOC>."""
    for block in markup.markup_blocks(source.lines(), ("doc",), TAGS):
        docnos = [part for part in block.parts if part.tag == "docno"]
        if len(docnos) > 1:
            raise BadLine(docnos[1].line, "expected one <DOCNO> per document, found a second")
        line, docno = (docnos[0].line, docnos[0].text) if docnos else (block.line, "")
        texts = [part.text for part in block.parts if part.tag == "text"]
        text = join_nonempty(map(plain_text, texts), "\n\n") if texts else block.parts[0].text.strip()
        # Without a <TEXT>, these elements are part of the text already.
        facts = _facts(block.parts[0].text) if texts else ()
        yield document_record(line, docno, _title(block), text, _url(block), facts)


def _facts(outside: str) -> Facts:
    """Return the facts of known elements outside every field; an unclosed element is ignored."""
    facts = []
    opened: tuple[str, int] | None = None
    for mark in _FACT.finditer(outside):
        name = mark[2].lower()
        if not mark[1]:
            opened = name, mark.end()
        elif opened and opened[0] == name:
            value = outside[opened[1] : mark.start()][:MAX_FACT_SOURCE]
            facts.append((FACT_TAGS[name], resolve_entities(_ANY_TAG.sub(" ", value))))
            opened = None
    return facts_of(facts)


def _title(block: markup.MarkupBlock) -> str:
    candidates = [[part.text for part in block.parts if part.tag == tag] for tag in TITLE_TAGS]
    candidates.append(_AP_HEADLINE.findall(block.parts[0].text))
    titles = (join_nonempty(map(plain_text, texts), " ") for texts in candidates)
    return next(filter(None, titles), "")


def _url(block: markup.MarkupBlock) -> str:
    for part in block.parts:
        first = part.text.split(maxsplit=1)[:1]
        if first and (part.tag == "url" or (part.tag == "dochdr" and "://" in first[0])):
            return first[0]
    return ""


def plain_text(text: str) -> str:
    """Return the visible text of TREC's SGML: no upper-case tags, entities or repeated empty lines."""
    lines = resolve_entities(_INNER_TAG.sub("", text)).split("\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")

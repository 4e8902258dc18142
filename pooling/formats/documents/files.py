"""Files that are one document each: plain texts and web pages, whose docno is the name of the file."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from pooling.formats.documents.facts import facts_of_page
from pooling.formats.documents.page import declared_encoding, read_page
from pooling.formats.documents.record import Documents, document
from pooling.formats.documents.source import Source
from pooling.formats.files import BadFile

_PACKED = re.compile(r"\.(?:gz|bz2|xz)$", re.IGNORECASE)
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")  # no digits first: SDA.940101.0001 is a docno


def suffix(name: str) -> str:
    """Return how a file's name ends, in lower case and without how it is packed: "txt", or "".

    >>> suffix("texts/LA010189-0001.TXT.gz")
    'txt'
    """
    found = _SUFFIX.search(_PACKED.sub("", name))
    return found[0][1:].lower() if found else ""


def docno_of(name: str) -> str:
    """Return the docno that a file's name gives: without folders, and without what says how it is written.

    >>> docno_of("texts/LA010189-0001.txt.gz")
    'LA010189-0001'
    """
    return _SUFFIX.sub("", _PACKED.sub("", PurePosixPath(name).name))


def from_text(source: Source) -> Documents:
    """Yield the one document that a plain text file is."""
    text = source.decoder.text(source.whole())
    if "\0" in text:
        raise BadFile("expected a text, found NUL bytes, as in pictures and programs")
    lines = (line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    yield document(0, docno_of(source.name), "", "\n".join(lines).strip("\n"), "")


def from_html(source: Source) -> Documents:
    """Yield the one document that a web page is."""
    content = source.whole()
    html = source.decoder.text(content, declared_encoding(content))
    page, facts = read_page(html), facts_of_page(html)
    yield document(0, docno_of(source.name), page.title, html if source.as_html else page.text, "", facts)

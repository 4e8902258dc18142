"""Title and visible text of a web page.

html.parser is not used, because its time is quadratic in the length for input such as `<a <a <a` (minutes for
100 KB), and the pages are untrusted. This scanner takes linear time and accepts any bytes, as a browser does:
an element that is not closed ends with the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import PurePosixPath
from typing import NamedTuple

from pooling.formats.documents.facts import facts_of_page
from pooling.formats.documents.record import Documents, Source, document_record
from pooling.formats.files import BadFile
from pooling.formats.text import one_line, resolve_entities

_MARK = re.compile(
    r"""<!--.*?(?:-->|\Z)
    |<(?P<closes>/?)(?P<name>[A-Za-z][^\s/>]*+)
     (?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+)*+(?:>|\Z)
    |<[!?/][^>]*+(?:>|\Z)""",
    re.DOTALL | re.VERBOSE,
)
# The content of these elements, up to their end tag, is not parsed as mark-up.
_ENDS = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "template", "noscript", "iframe", "textarea", "title")
}
_PARAGRAPH = re.compile(
    "address|article|aside|blockquote|body|center|details|div|dl|fieldset|figure|footer|form|h[1-6]|header|hr|main"
    "|nav|ol|p|pre|section|table|ul"
)
_LINE = re.compile("br|caption|dd|dt|figcaption|legend|li|option|summary|tr")
_CELL = re.compile("td|th")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)


class Page(NamedTuple):
    """title: on one line, "" when there is none. text: paragraphs with an empty line between two."""

    title: str
    text: str


def read_page(source: str, text_of_image: Callable[[str], str] | None = None) -> Page:
    """Return a page's title and text: no tags, scripts or styles, entities resolved, <pre> unchanged.

    text_of_image: returns the text for the source of an <img> element; by default images have no text.
    """
    title = None
    text = _Text()
    at = 0
    while mark := _MARK.search(source, at):
        text.write(source[at : mark.start()])
        at = mark.end()
        name = (mark["name"] or "").lower()
        if name in _ENDS and not mark["closes"]:
            end = _ENDS[name].search(source, at)
            inside = source[at : end.start() if end else len(source)]
            at = end.start() if end else len(source)
            title = one_line(resolve_entities(inside)) if name == "title" and title is None else title
        text.tag(name, bool(mark["closes"]))
        if name == "img" and text_of_image:
            text.write(escape(text_of_image(mark[0])))
    text.write(source[at:])
    return Page(title or "", text.formatted())


def declared_encoding(content: bytes) -> str:
    """Return the encoding that the <meta> element of a page declares, "" if there is none.

    Latin-1 means Windows-1252 on the web (WHATWG Encoding Standard).
    """
    match = _CHARSET.search(content, 0, 4096)
    name = match[1].decode().lower() if match else ""
    return web_encoding(name)


def web_encoding(name: str) -> str:
    """Return the encoding that browsers use for a declared name."""
    latin = ("iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii")
    return "cp1252" if name.strip().lower() in latin else name.strip().lower()


class _Text:
    """Collects text as a browser lays it out: white space is collapsed, each block begins on a new line."""

    def __init__(self) -> None:
        self._pieces = ["\n"]
        self._open_pre = 0  # number of open <pre> elements

    def write(self, text: str) -> None:
        if not self._open_pre:
            text = re.sub(r"\s+", " ", text)
            text = text.lstrip() if self._pieces[-1].endswith(("\n", " ")) else text
        if text:
            self._pieces.append(resolve_entities(text))

    def tag(self, name: str, closes: bool) -> None:
        if name == "pre":
            self._open_pre = max(0, self._open_pre + (-1 if closes else 1))
        if _PARAGRAPH.fullmatch(name):
            self._pieces.append("\n\n")
        elif _LINE.fullmatch(name):
            self._pieces.append("\n")
        elif closes and _CELL.fullmatch(name):
            self.write(" ")

    def formatted(self) -> str:
        lines = "\n".join(line.rstrip() for line in "".join(self._pieces).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")


_PACKED = re.compile(r"\.(?:gz|bz2|xz)$", re.IGNORECASE)
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")  # no digits first: SDA.940101.0001 is a docno


def suffix(name: str) -> str:
    """Return the suffix of a file name in lower case, without that of the compression: "txt", or "".

    >>> suffix("texts/LA010189-0001.TXT.gz")
    'txt'
    """
    match = _SUFFIX.search(_PACKED.sub("", name))
    return match[0][1:].lower() if match else ""


def docno_of(name: str) -> str:
    """Return the docno from a file name: without folders and suffixes.

    >>> docno_of("texts/LA010189-0001.txt.gz")
    'LA010189-0001'
    """
    return _SUFFIX.sub("", _PACKED.sub("", PurePosixPath(name).name))


def from_text(source: Source) -> Documents:
    """Yield a plain text file as one document."""
    text = source.decoder.text(source.whole())
    if "\0" in text:
        raise BadFile("expected a text, found NUL bytes, as in pictures and programs")
    lines = (line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    yield document_record(0, docno_of(source.name), "", "\n".join(lines).strip("\n"), "")


def from_html(source: Source) -> Documents:
    """Yield a web page as one document."""
    content = source.whole()
    html = source.decoder.text(content, declared_encoding(content))
    page, facts = read_page(html), facts_of_page(html)
    yield document_record(
        0, docno_of(source.name), page.title, html if source.as_html else page.text, "", facts
    )

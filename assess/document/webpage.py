"""Web pages as documents: sanitised HTML with the topic's terms highlighted in its text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote

import nh3

from assess.document.highlighting import Hit, Term, TextSpan, find_terms, spans_between
from pooling.formats.images import ShownImage

MAX_PAGE_LENGTH = 200_000  # characters of a text that is shown as HTML
MAX_TAGS = 20_000  # nh3 takes a second for so many elements one inside the other, three for twice as many

_BLOCKS = frozenset({
    "blockquote", "br", "caption", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
# No element that loads, links (a), is interactive (form, details) or looks like a hit (mark), and no
# id, class or name: a document must not be able to imitate a part of the judging screen.
TAGS = _BLOCKS | {"b", "code", "em", "i", "q", "s", "small", "strong", "sub", "sup", "u"}
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "*": frozenset({"dir", "lang"}),
    "td": frozenset({"colspan", "rowspan"}),
    "th": frozenset({"colspan", "rowspan"}),
    "ol": frozenset({"start"}),
}
_UNSEEN = frozenset({
    "iframe", "math", "noscript", "object", "script", "select", "style", "svg", "template", "textarea",
    "title",
})  # fmt: skip
# Elements that may be too wide for a narrow screen: they scroll in a box of their own, also by keys.
_WIDE = frozenset({"pre", "table"})
_BOX = '<div class="wide-box" tabindex="0">'
_APART = "\n" + " " * 20 + "\n"  # more blanks than the words of a phrase may have between them
_EMPTY = frozenset({"br", "hr"})
MAX_IMAGE_TAG = 5_000  # characters of an <img> element; of a longer one, nothing is shown as text
_PAGE = re.compile(
    r"\s*+(?:<\?xml[^>]*>\s*+)?(?><!--.*?-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


class MarkedPage(NamedTuple):
    """html: sanitised, safe to show. text: what a person reads of it. hits: their places in the text.

    shown: the names of the stored images in it.
    """

    html: str
    text: str
    hits: list[Hit]
    shown: frozenset[str] = frozenset()


def is_page(text: str) -> bool:
    """Return whether a stored text is a web page; a text that only mentions tags is not.

    >>> is_page("<!-- saved --><HTML><title>x</title>"), is_page("Write <html> first.")
    (True, False)
    """
    return bool(_PAGE.match(text))


def can_be_shown(source: str) -> bool:
    """Return whether a page is small enough to be shown as HTML; a larger one is shown as text, in parts.

    Its text is from `pooling.formats.documents.pages.read_page`: 25 ms for MAX_PAGE_LENGTH characters.
    """
    return len(source) <= MAX_PAGE_LENGTH and source.count("<") <= MAX_TAGS


def marked_page(source: str, terms: Sequence[Term], images: Sequence[ShownImage] = ()) -> MarkedPage:
    """Return a sanitised page with `<mark class="term-3" data-hit="17">` around the hits in its text.

    The result contains only the elements of TAGS, the ATTRIBUTES and those marks; everything else is escaped:
    nh3 sanitises, and the page is written anew from a parse of the result. A hit across an inline element
    (H<sub>2</sub>O) becomes two marks with the same number; a hit never crosses a paragraph. Wide elements
    are in boxes that scroll, `<div class="wide-box" tabindex="0">`.
    images: stored images; each is shown where the page refers to an image of its file name, before
    the alternative text. Of any other image, there is the alternative text alone.
    """
    tags = TAGS | {"img"}  # of which the alternative text goes on, and the file name
    attributes = {tag: set(names) for tag, names in ATTRIBUTES.items()} | {"img": {"alt", "src"}}
    parser = _Pieces(images)
    unseen = set(_UNSEEN)
    clean = nh3.clean(source, tags=tags, attributes=attributes, clean_content_tags=unseen, link_rel=None)
    parser.feed(clean)
    parser.close()
    text = "".join(piece.text for piece in parser.pieces)
    hits = find_terms(text, terms)
    html = "".join(_written(parser.pieces, text, hits))
    return MarkedPage(html, text, hits, frozenset(parser.shown))


class _Piece(NamedTuple):
    """html: a tag as it is written, or None for text. text: what the search sees."""

    html: str | None
    text: str


class _Pieces(HTMLParser):
    """Splits a sanitised page into pieces, which contain TAGS and ATTRIBUTES only."""

    def __init__(self, images: Sequence[ShownImage] = ()) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[_Piece] = []
        self._open_wide = 0  # number of open elements of _WIDE
        self.images = {image.name: image for image in images}
        self.shown: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self._add_image(dict(attrs))
        elif tag in TAGS:
            self._open_wide += tag in _WIDE
            if tag in _WIDE and self._open_wide == 1:
                self._add("div", _BOX)
            allowed = ATTRIBUTES["*"] | ATTRIBUTES.get(tag, frozenset())
            attributes = "".join(
                f' {name}="{escape(value or "")}"' for name, value in attrs if name in allowed
            )
            self._add(tag, f"<{tag}{attributes}>")

    def _add_image(self, attributes: Mapping[str, str | None]) -> None:
        """Add a stored image, if there is one, and in any case its text, so that the text is the same."""
        if image := self.images.get(_file_name(attributes.get("src") or "")):
            self.shown.add(image.name)
            self.pieces.append(_Piece(_image_html(image), ""))
        self.pieces.append(_Piece(None, image_text(attributes.get("alt") or "")))

    def handle_endtag(self, tag: str) -> None:
        if tag in TAGS - _EMPTY:
            self._add(tag, f"</{tag}>")
            if tag in _WIDE and self._open_wide == 1:
                self._add("div", "</div>")
            self._open_wide -= tag in _WIDE

    def handle_data(self, data: str) -> None:
        self.pieces.append(_Piece(None, data))

    def _add(self, tag: str, html: str) -> None:
        gap = "\n" if tag == "br" else _APART if tag in _BLOCKS else ""
        self.pieces.append(_Piece(html, gap))


def image_text(alt: str) -> str:
    """Return what stands for an image in a page: its alternative text; "" without any, as of a decoration.

    >>> image_text(" A  boat "), image_text("")
    ('[Image: A boat]', '')
    """
    words = " ".join(alt.split())
    return f"[Image: {words}]" if words else ""


def text_of_image(tag: str) -> str:
    """Return what stands for an <img> element, given as its source, in the plain text of a page."""
    parser = _Image()
    if len(tag) <= MAX_IMAGE_TAG:
        parser.feed(tag)
        parser.close()
    return image_text(parser.alt)


class _Image(HTMLParser):
    """Reads the alternative text of one <img> element."""

    alt = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.alt = dict(attrs).get("alt") or ""


def _file_name(source: str) -> str:
    """Return the last segment of the path of an address.

    >>> _file_name("https://example.org/a/figure%201.png?size=2#top")
    'figure 1.png'
    """
    return unquote(re.split(r"[?#]", source, maxsplit=1)[0].rpartition("/")[2])


def _image_html(image: ShownImage) -> str:
    url = escape(image.url)
    return (
        f'<a href="{url}" target="_blank" rel="noopener"><img src="{url}" alt="{escape(image.name)}"'
        f' width="{image.width}" height="{image.height}" loading="lazy"></a>'
    )


def _written(pieces: Sequence[_Piece], text: str, hits: Sequence[Hit]) -> Iterator[str]:
    at = 0
    for piece in pieces:
        end = at + len(piece.text)
        if piece.html is not None:
            yield piece.html
        else:
            yield from map(_span, _spans(text, hits, at, end))
        at = end


def _spans(text: str, hits: Sequence[Hit], start: int, end: int) -> Iterator[TextSpan]:
    """Yield the segments of a text node, beginning with the rest of a hit from the node before."""
    number = bisect_left(hits, start, key=lambda hit: hit.start) - 1
    if number >= 0 and hits[number].end > start:
        upto = min(end, hits[number].end)
        yield TextSpan(text[start:upto], hits[number].term, number)
        start = upto
    yield from spans_between(text, hits, start, end)


def _span(span: TextSpan) -> str:
    inside = escape(span.text)
    if span.term is None:
        return inside
    return f'<mark class="term-{span.term.colour}" data-hit="{span.hit}">{inside}</mark>'

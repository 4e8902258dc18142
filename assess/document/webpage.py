"""Web pages as documents: sanitised HTML with the topic's terms highlighted in its text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote

import nh3

from assess.document import formulas
from assess.document.formulas import Formula, Piece
from assess.document.highlighting import Hit, Term, TextSpan, find_terms, spans_between
from pooling.formats.documents.pages import read_page
from pooling.formats.images import ShownImage

MAX_PAGE_LENGTH = 200_000  # characters of a text that is shown as HTML
MAX_TAGS = 20_000  # nh3 takes a second for so many elements one inside the other, three for twice as many

_BLOCKS = frozenset({
    "blockquote", "br", "caption", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
# No element that loads, links (a), is interactive (form, details) or looks like a hit (mark), and no
# id, class or name: a document must not be able to imitate a part of the judging screen.
_INLINE = frozenset({
    "b", "code", "del", "em", "i", "ins", "q", "s", "small", "strike", "strong", "sub", "sup", "u",
})  # fmt: skip
TAGS = _BLOCKS | _INLINE | formulas.ELEMENTS - {"mfenced"}
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    **formulas.ATTRIBUTES,
    "*": frozenset({"dir", "lang"}),
    "td": frozenset({"colspan", "rowspan"}),
    "th": frozenset({"colspan", "rowspan"}),
    "ol": frozenset({"start"}),
}
_UNSEEN = frozenset({
    "annotation", "annotation-xml", "iframe", "mphantom", "noscript", "object", "script", "select", "style",
    "svg", "template", "textarea", "title",
})  # fmt: skip
# Elements that may be too wide for a narrow screen: they scroll in a box of their own, also by keys.
_WIDE = frozenset({"pre", "table"})
_BOX = '<div class="wide-box" tabindex="0">'
_FORMULA_BOX = '<span class="wide-box" tabindex="0">'  # a formula may stand in a paragraph
_APART = "\n" + " " * 20 + "\n"  # more blanks than the words of a phrase may have between them
_EMPTY = frozenset({"br", "hr"})
MAX_IMAGE_TAG = 5_000  # characters of an <img> element; of a longer one, nothing is shown as text
_KINDS = {  # of what is not shown, by element
    "svg": "drawing", "canvas": "drawing", "object": "embedded object", "embed": "embedded object",
    "applet": "embedded object", "iframe": "embedded page", "frame": "embedded page", "video": "video",
    "audio": "sound", "input": "form field", "select": "form field", "textarea": "form field",
}  # fmt: skip
# Comments, scripts and the like are matched first, because the elements in them are no part of the page.
_DROPPED = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|template|noscript|title)\b.*?(?:</(?P=raw)\b|\Z)"
    r"|<(?!input[^>]{0,300}type\s{0,9}=\s{0,9}[\"']?hidden)(?P<name>" + "|".join(_KINDS) + r")(?=[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
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
    tags = TAGS | {"img", "mfenced"}  # of an image the alternative text goes on, and the file name
    readable = {**ATTRIBUTES, **formulas.READ_ATTRIBUTES, "img": frozenset({"alt", "src"})}
    attributes = {tag: set(names) for tag, names in readable.items()}
    parser = _Pieces(images)
    unseen = set(_UNSEEN)
    source = formulas.with_drawable_formulas(source)
    clean = nh3.clean(source, tags=tags, attributes=attributes, clean_content_tags=unseen, link_rel=None)
    parser.feed(clean)
    parser.close()
    text = "".join(piece.text for piece in parser.pieces)
    hits = find_terms(text, terms)
    html = "".join(_written(parser.pieces, text, hits))
    return MarkedPage(html, text, hits, frozenset(parser.shown))


class _Pieces(HTMLParser):
    """Splits a sanitised page into pieces, which contain TAGS and ATTRIBUTES only."""

    def __init__(self, images: Sequence[ShownImage] = ()) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[Piece] = []
        self._formula = Formula()
        self._formula_is_boxed = False
        self._open_wide = 0  # number of open elements of _WIDE
        self.images = {image.name: image for image in images}
        self.shown: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._formula or tag == "math":
            self._start_in_formula(tag, dict(attrs))
        elif tag == "img":
            self._add_image(dict(attrs))
        elif tag in _BLOCKS | _INLINE:
            self._open_wide += tag in _WIDE
            if tag in _WIDE and self._open_wide == 1:
                self._add("div", _BOX)
            allowed = ATTRIBUTES["*"] | ATTRIBUTES.get(tag, frozenset())
            attributes = "".join(
                f' {name}="{escape(value or "")}"' for name, value in attrs if name in allowed
            )
            self._add(tag, f"<{tag}{attributes}>")

    def _start_in_formula(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        if tag in _EMPTY or tag == "img":  # have no end
            return
        if tag == "math" and not self._formula:
            self._formula_is_boxed = attributes.get("display") == "block" and not self._open_wide
            if self._formula_is_boxed:
                self.pieces.append(Piece(_FORMULA_BOX, "\n"))
        self.pieces += self._formula.start(tag, attributes)

    def _add_image(self, attributes: Mapping[str, str | None]) -> None:
        """Add a stored image, if there is one, and in any case its text, so that the text is the same."""
        if image := self.images.get(_file_name(attributes.get("src") or "")):
            self.shown.add(image.name)
            self.pieces.append(Piece(_image_html(image), ""))
        self.pieces.append(Piece(None, image_text(attributes.get("alt") or "")))

    def handle_endtag(self, tag: str) -> None:
        if self._formula:
            self.pieces += self._formula.end()
            if self._formula_is_boxed and not self._formula:
                self.pieces.append(Piece("</span>", "\n"))
        elif tag in _BLOCKS | _INLINE and tag not in _EMPTY:
            self._add(tag, f"</{tag}>")
            if tag in _WIDE and self._open_wide == 1:
                self._add("div", "</div>")
            self._open_wide -= tag in _WIDE

    def handle_data(self, data: str) -> None:
        self.pieces += self._formula.data(data) if self._formula else [Piece(None, data)]

    def _add(self, tag: str, html: str) -> None:
        gap = "\n" if tag == "br" else _APART if tag in _BLOCKS else ""
        self.pieces.append(Piece(html, gap))


def page_text(source: str) -> str:
    """Return the plain text of a page: without its mark-up, images as their text, formulas on one line."""
    source = formulas.with_drawable_formulas(source)
    return read_page(formulas.FORMULA.sub(_with_fences, source), text_of_image).text


def _with_fences(formula: re.Match[str]) -> str:
    """Return a formula whose fences are in attributes as its text, with the fences."""
    fenced = "<mfenced" in formula[0].lower()
    return escape(marked_page(formula[0], ()).text.strip()) if fenced else formula[0]


def not_shown(source: str) -> str:
    """Return how many parts of a page are not shown, by kind; "" if everything is shown.

    >>> not_shown("<p>A</p><svg><path/></svg><!-- <svg> --><input type='hidden'><select></select><input>")
    '1 drawing, 2 form fields'
    """
    names = (each["name"].lower() for each in _DROPPED.finditer(source) if each["name"])
    counts = Counter(_KINDS[name] for name in names)
    return ", ".join(f"{count:,} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items())


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


def _written(pieces: Sequence[Piece], text: str, hits: Sequence[Hit]) -> Iterator[str]:
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

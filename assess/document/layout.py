"""A document laid out for its judge: the first part, later parts, and highlighted terms."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from assess.document.highlighting import (
    Hit,
    MarkedParagraph,
    Snippet,
    Term,
    TextSpan,
    densest_passage,
    find_terms,
    marked_paragraphs,
    snippets,
    spans_between,
    term_counts,
)
from assess.document.line_joining import join_lines
from assess.document.text import length_in_words, paragraph_spans, text_parts
from assess.document.webpage import can_be_shown, is_page, marked_page, not_shown, page_text
from pooling.formats.images import ShownImage

LONG_DOCUMENT = 5_000  # characters of a long document, whose best passages are quoted at its top

MAX_SEARCHED = 20_000  # characters searched of each document where a page has many


@dataclass(frozen=True)
class LaterPart:
    """A part that is not on the page yet. first: number of its first hit. hits: how many it has."""

    part: int
    first: int
    hits: int


class DocumentPart(NamedTuple):
    """A part of a document. before: number of paragraphs in the parts before it."""

    number: int
    before: int
    paragraphs: list[MarkedParagraph]


@dataclass(frozen=True)
class DocumentView:
    """A document as its judge sees it.

    title: its segments have their own hit numbers. html: of a web page, sanitised; else empty. paragraphs: of
    the first part, if there is no html. terms: hits of each term in title and text. length: in words.
    not_shown: parts of a web page that are left out, counted by kind.
    """

    title: list[TextSpan]
    html: str
    paragraphs: list[MarkedParagraph]
    waiting: list[LaterPart]
    terms: list[tuple[Term, int]]
    snippets: list[Snippet]
    densest: int | None
    length: str = ""
    other_images: Sequence[ShownImage] = ()
    not_shown: str = ""

    @property
    def parts(self) -> list[DocumentPart]:
        """The parts that are on the page from the start: the first one."""
        return [DocumentPart(0, 0, self.paragraphs)]

    @property
    def part_numbers(self) -> range:
        return range(1 + len(self.waiting))


def document_view(
    text: str, terms: Sequence[Term], title: str = "", images: Sequence[ShownImage] = ()
) -> DocumentView:
    """Return the layout of a document's stored text and title. terms: empty where highlighting is off.

    images: those of the document. A web page shows the ones that it refers to in their places; `other_images`
    are the rest.

    A web page of moderate size is shown as HTML; of a larger one, its plain text.
    """
    if is_page(text) and can_be_shown(text):
        page = marked_page(text, terms, images)
        others = [image for image in images if image.name not in page.shown]
        view = _sheet(title, page.text, page.hits, terms, html=page.html)
        return replace(view, other_images=others, not_shown=left_out(text))
    plain = plain_text(text)
    view = _sheet(title, plain, find_terms(plain, terms), terms)
    return replace(view, other_images=images, not_shown=left_out(text))


def left_out(text: str) -> str:
    """Return what is not shown of a stored text: parts of a web page, counted by kind; else ""."""
    return not_shown(text) if is_page(text) else ""


def readable_text(text: str, joins_lines: bool) -> str:
    """Return the text that is shown for a stored text: with its lines joined, unless it is a web page."""
    return join_lines(text) if joins_lines and not is_page(text) else text


def plain_text(text: str) -> str:
    """Return the plain text of a stored text: of a web page, without its mark-up, images as their text."""
    return page_text(text) if is_page(text) else text


def _sheet(title: str, text: str, hits: list[Hit], terms: Sequence[Term], html: str = "") -> DocumentView:
    first = text_parts(text)[0]
    in_title = find_terms(title, terms)
    return DocumentView(
        title=spans_between(title, in_title, 0, len(title)),
        html=html,
        paragraphs=[] if html else list(marked_paragraphs(text, hits, *first)),
        waiting=[] if html else waiting_parts(text, hits),
        terms=[(term, count) for term, count in term_counts([*in_title, *hits], terms) if count],
        snippets=snippets(text, hits) if len(text) > LONG_DOCUMENT else [],
        densest=densest_passage(hits),
        length=length_in_words(text),
    )


def waiting_parts(text: str, hits: list[Hit]) -> list[LaterPart]:
    """Return the parts of a text after the first."""
    parts = []
    for number, cut in enumerate(text_parts(text)[1:], start=1):
        first, end = (bisect_left(hits, place, key=lambda hit: hit.start) for place in cut)
        parts.append(LaterPart(number, first, end - first))
    return parts


def later_parts(text: str, terms: Sequence[Term], first: int, last: int | None = None) -> list[DocumentPart]:
    """Return the parts of a document from `first` to `last`, or to the end.

    Raises IndexError where there is no such part.

    >>> [part] = later_parts("Only one.", [], 0)
    >>> part.before, part.paragraphs[0].spans[0].text
    (0, 'Only one.')
    """
    text = plain_text(text)
    cuts = text_parts(text)
    if not 0 <= first < len(cuts):
        raise IndexError(first)
    hits = find_terms(text, terms)
    before = sum(1 for cut in cuts[:first] for _ in paragraph_spans(text, *cut))
    parts = []
    for number in range(first, len(cuts) if last is None else last + 1):
        parts.append(DocumentPart(number, before, list(marked_paragraphs(text, hits, *cuts[number]))))
        before += len(parts[-1].paragraphs)
    return parts


def excerpt(text: str, terms: Sequence[Term], size: int = 240) -> list[TextSpan]:
    """Return the passage of a document with most terms, else its beginning.

    Only the first MAX_SEARCHED characters are searched.
    """
    text = plain_text(text)[:MAX_SEARCHED]
    hits = find_terms(text, terms)
    if best := snippets(text, hits, most=1, window=size):
        return best[0].spans
    beginning = text[:size].rsplit(" ", 1)[0] if len(text) > size else text
    return (
        [TextSpan(beginning), TextSpan(" …")]
        if len(text) > size
        else [TextSpan(beginning)]
        if beginning
        else []
    )

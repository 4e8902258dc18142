"""A document laid out for its judge: the first part, later parts, and highlighted terms."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from assess.passages import Hit, Marked, Snippet, Span, counts, densest, find, marked, snippets, spans_between
from assess.reading import parts, places
from assess.terms import Term
from assess.webpage import can_be_shown, is_page, marked_page
from pooling.formats.documents.pages import read_page

LONG = 5_000  # characters of a long document, whose best passages are quoted at its top

MOST_SEARCHED = 20_000  # characters searched of each document where a page has many


@dataclass(frozen=True)
class Waiting:
    """A part that is not on the page yet. first: number of its first hit. hits: how many it has."""

    part: int
    first: int
    hits: int


@dataclass(frozen=True)
class Sheet:
    """A document as its judge sees it.

    title: its segments have their own hit numbers. html: of a web page, sanitised; else empty. paragraphs: of
    the first part, if there is no html. terms: hits of each term in title and text.
    """

    title: list[Span]
    html: str
    paragraphs: list[Marked]
    waiting: list[Waiting]
    terms: list[tuple[Term, int]]
    snippets: list[Snippet]
    densest: int | None


def lay_out(text: str, terms: Sequence[Term], title: str = "") -> Sheet:
    """Return the layout of a document's stored text and title. terms: empty where highlighting is off.

    A web page of moderate size is shown as HTML; of a larger one, its plain text.
    """
    if is_page(text) and can_be_shown(text):
        page = marked_page(text, terms)
        return _sheet(title, page.text, page.hits, terms, html=page.html)
    text = readable(text)
    return _sheet(title, text, find(text, terms), terms)


def readable(text: str) -> str:
    """Return the plain text of a stored text: of a web page, without its mark-up."""
    return read_page(text).text if is_page(text) else text


def _sheet(title: str, text: str, hits: list[Hit], terms: Sequence[Term], html: str = "") -> Sheet:
    first, *others = parts(text)
    in_title = find(title, terms)
    return Sheet(
        title=spans_between(title, in_title, 0, len(title)),
        html=html,
        paragraphs=[] if html else list(marked(text, hits, *first)),
        waiting=[] if html else [_waiting(number, cut, hits) for number, cut in enumerate(others, start=1)],
        terms=[(term, count) for term, count in counts([*in_title, *hits], terms) if count],
        snippets=snippets(text, hits) if len(text) > LONG else [],
        densest=densest(hits),
    )


def _waiting(number: int, cut: tuple[int, int], hits: list[Hit]) -> Waiting:
    first, end = (bisect_left(hits, place, key=lambda hit: hit.start) for place in cut)
    return Waiting(number, first, end - first)


def part_of(text: str, terms: Sequence[Term], number: int) -> tuple[int, list[Marked]]:
    """Return the number of paragraphs before a part, and the paragraphs of the part.

    Raises IndexError where there is no such part.

    >>> before, paragraphs = part_of("Only one.", [], 0)
    >>> before, paragraphs[0].spans[0].text
    (0, 'Only one.')
    """
    text = readable(text)
    cuts = parts(text)
    before = sum(1 for cut in cuts[:number] for _ in places(text, *cut))
    return before, list(marked(text, find(text, terms), *cuts[number]))


def excerpt(text: str, terms: Sequence[Term], size: int = 240) -> list[Span]:
    """Return the passage of a document with most terms, else its beginning.

    Only the first MOST_SEARCHED characters are searched.
    """
    text = readable(text)[:MOST_SEARCHED]
    hits = find(text, terms)
    if best := snippets(text, hits, most=1, window=size):
        return best[0].spans
    beginning = text[:size].rsplit(" ", 1)[0] if len(text) > size else text
    return [Span(beginning), Span(" …")] if len(text) > size else [Span(beginning)] if beginning else []

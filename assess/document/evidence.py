"""The evidence that judges selected: located in the document's text and marked."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from assess.document.highlighting import (
    Hit,
    Term,
    TextSpan,
    densest_passage,
    find_terms,
    spans_between,
    term_counts,
)
from assess.document.layout import LaterPart, waiting_parts
from assess.document.line_joining import HYPHENS
from assess.document.text import Layout, layout_of, line_ends, paragraph_spans, text_parts

_IGNORED = re.compile(rf"[\s{HYPHENS}]+")
_SOLID = re.compile(rf"[^\s{HYPHENS}]+")
TITLE = -1  # instead of the number of a paragraph


class Quote(NamedTuple):
    """A judge's selection, as the judging screen sends it.

    paragraph: number of the paragraph in which it begins; TITLE for the title. start: number of characters
    before it in the paragraph.
    """

    quote: str
    paragraph: int
    start: int

    @property
    def in_title(self) -> bool:
        return self.paragraph == TITLE


class EvidenceSpan(NamedTuple):
    """The position of one judge's evidence: `text[start:end]`. letter: stands for the judge in this case."""

    start: int
    end: int
    letter: str


class EvidenceSegment(NamedTuple):
    """A segment of text. letters: judges who selected it. ends: judges whose selection ends here.

    spans: the same text, with the terms of the topic marked.
    """

    spans: list[TextSpan]
    letters: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


class EvidenceParagraph(NamedTuple):
    """A paragraph in segments; together they are its text."""

    stretches: list[EvidenceSegment]
    layout: Layout


def locate_evidence(text: str, quotes: Mapping[str, Quote]) -> list[EvidenceSpan]:
    """Return the positions of the quotes (letter -> quote) in a text, in text order.

    Browsers write blanks and line ends differently, so only the words are compared. Of several occurrences
    the one nearest to the selection is returned. If the words do not occur, blanks and hyphens are ignored,
    because the lines of the text may have been joined before or after the selection. A quote that does not
    occur then either, because the text was replaced, is left out.

    >>> locate_evidence("One.  Two\\nwords.", {"A": Quote("Two words", 0, 6)})
    [EvidenceSpan(start=6, end=15, letter='A')]
    """
    starts = [start for start, _ in paragraph_spans(text)]
    located = []
    for letter, quote in quotes.items():
        words = quote.quote.split()
        if not words or not starts:
            continue
        near = starts[max(0, min(quote.paragraph, len(starts) - 1))] + quote.start
        matches = [match.span() for match in re.finditer(r"\s+".join(map(re.escape, words)), text)]
        if best := min(
            matches or _loose_matches("".join(words), text),
            key=lambda span: abs(span[0] - near),
            default=None,
        ):
            located.append(EvidenceSpan(*best, letter))
    return sorted(located)


def locate_words(
    texts: Sequence[str], words: str, place: int = 0, start: int = 0
) -> tuple[int, int, int] | None:
    """Return the place of a text that has these words, from 1, and their start and end in it; None without.

    Words are compared as in `locate_evidence`. The text at `place` comes first, and of several occurrences
    there the one nearest to `start` is returned.

    >>> locate_words(["One. Two.", "Two, two."], "two", 2), locate_words(["One.", "Two."], "One. Two.")
    ((2, 5, 8), None)
    """
    for number in sorted(range(1, len(texts) + 1), key=lambda number: number != place):
        text = texts[number - 1]
        first = next((start for start, _ in paragraph_spans(text)), 0)
        near = Quote(words, 0, (start if number == place else 0) - first)
        for begin, end, _ in locate_evidence(text, {"": near}):
            return number, begin, end
    return None


def _loose_matches(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the characters of a quote occur, blanks and hyphens ignored."""
    wanted = _IGNORED.sub("", quote)
    places = [match.span() for match in _SOLID.finditer(text)]
    solid = "".join(text[start:end] for start, end in places)
    before = list(accumulate((end - start for start, end in places), initial=0))
    for match in re.finditer(re.escape(wanted), solid) if wanted else ():
        first, last = (bisect_right(before, at) - 1 for at in (match.start(), match.end() - 1))
        start = places[first][0] + match.start() - before[first]
        yield start, places[last][0] + match.end() - before[last]


@dataclass(frozen=True)
class EvidenceView:
    """A document as its adjudicator sees it, in plain text.

    title: its spans have their own hit numbers. paragraphs: of the first part. terms: hits of each term in
    title and text. densest: number of the hit with which the densest passage begins.
    """

    title: list[EvidenceSegment]
    paragraphs: list[EvidenceParagraph]
    waiting: list[LaterPart]
    terms: list[tuple[Term, int]]
    densest: int | None


def evidence_view(
    text: str,
    evidence: Sequence[EvidenceSpan],
    terms: Sequence[Term],
    title: str = "",
    in_title: Sequence[EvidenceSpan] = (),
) -> EvidenceView:
    """Return the layout of a document. terms: empty where highlighting is off. in_title: evidence there."""
    hits, title_hits = find_terms(text, terms), find_terms(title, terms)
    return EvidenceView(
        title=list(evidence_segments(title, in_title, title_hits, 0, len(title))),
        paragraphs=list(evidence_paragraphs(text, evidence, hits)),
        waiting=waiting_parts(text, hits),
        terms=[(term, count) for term, count in term_counts([*title_hits, *hits], terms) if count],
        densest=densest_passage(hits),
    )


def evidence_paragraphs(
    text: str, evidence: Sequence[EvidenceSpan], hits: Sequence[Hit] = (), part: int = 0
) -> Iterator[EvidenceParagraph]:
    """Yield the paragraphs of one part of a text (see `text_parts`), with evidence and hits marked.

    Raises IndexError where there is no such part.
    """
    for start, end in paragraph_spans(text, *text_parts(text)[part]):
        layout = layout_of(line_ends(text[start:end]))
        yield EvidenceParagraph(list(evidence_segments(text, evidence, hits, start, end)), layout)


def evidence_segments(
    text: str, evidence: Sequence[EvidenceSpan], hits: Sequence[Hit], start: int, end: int
) -> Iterator[EvidenceSegment]:
    """Yield `text[start:end]` in segments that begin or end where evidence does."""
    here = [each for each in evidence if each.start < end and each.end > start]
    cuts = {start, end, *(cut for each in here for cut in (each.start, each.end) if start < cut < end)}
    marks = sorted(cuts)
    for at, to in zip(marks, marks[1:], strict=False):
        letters = tuple(sorted(each.letter for each in here if each.start <= at and to <= each.end))
        ends = tuple(sorted(each.letter for each in here if each.end == to))
        spans = [span._replace(text=line_ends(span.text)) for span in _marked(text, hits, at, to)]
        yield EvidenceSegment(spans, letters, ends)


def _marked(text: str, hits: Sequence[Hit], start: int, end: int) -> list[TextSpan]:
    """Return a stretch of the text in spans; it may begin inside a hit, which evidence has divided."""
    number = bisect_left(hits, start, key=lambda hit: hit.start) - 1
    if number < 0 or hits[number].end <= start:
        return spans_between(text, list(hits), start, end)
    cut = min(hits[number].end, end)
    rest = TextSpan(text[start:cut], hits[number].term, number)
    return [rest, *spans_between(text, list(hits), cut, end)]

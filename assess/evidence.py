"""The words that judges selected as their evidence, found again in the document and marked side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assess.reading import Layout, layout_of, line_ends, parts, places


class Quote(NamedTuple):
    """What a judge selected, as the judging screen sends it.

    paragraph: the number of the one in which it begins. start: how many of its characters stand before it.
    """

    quote: str
    paragraph: int
    start: int


class Found(NamedTuple):
    """Where the evidence of one judge stands: `text[start:end]`. letter: the judge's, in this case."""

    start: int
    end: int
    letter: str


class Stretch(NamedTuple):
    """A stretch of text. letters: of the judges who selected it. ends: of those whose selection ends here."""

    text: str
    letters: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    @property
    def colour(self) -> int:
        """Which of the eight colours of marked words is its first judge's."""
        return (ord(self.letters[0][0]) - ord("A")) % 8 if self.letters else 0


class Paragraph(NamedTuple):
    """A paragraph in stretches; together they are its text."""

    stretches: list[Stretch]
    layout: Layout


def found_in(text: str, quotes: Mapping[str, Quote]) -> list[Found]:
    """Return where the quotes (letter -> quote) stand in a text, in its order.

    A browser writes blanks and line ends in its own way, so words count and not what is between them. Of
    several places it is the one nearest to where the judge selected. A quote that is nowhere, because the
    text is another now, is left out.

    >>> found_in("One.  Two\\nwords.", {"A": Quote("Two words", 0, 6)})
    [Found(start=6, end=15, letter='A')]
    """
    starts = [start for start, _ in places(text)]
    found = []
    for letter, quote in quotes.items():
        words = [re.escape(word) for word in quote.quote.split()]
        if not words or not starts:
            continue
        near = starts[max(0, min(quote.paragraph, len(starts) - 1))] + quote.start
        matches = re.finditer(r"\s+".join(words), text)
        if best := min(matches, key=lambda match: abs(match.start() - near), default=None):
            found.append(Found(best.start(), best.end(), letter))
    return sorted(found)


def paragraphs_of(text: str, found: Sequence[Found], part: int = 0) -> Iterator[Paragraph]:
    """Yield the paragraphs of one part of a text (assess.reading.parts), the evidence marked.

    Raises IndexError where there is no such part.
    """
    for start, end in places(text, *parts(text)[part]):
        layout = layout_of(line_ends(text[start:end]))
        yield Paragraph(list(_stretches(text, found, start, end)), layout)


def _stretches(text: str, found: Sequence[Found], start: int, end: int) -> Iterator[Stretch]:
    here = [each for each in found if each.start < end and each.end > start]
    cuts = {start, end, *(cut for each in here for cut in (each.start, each.end) if start < cut < end)}
    marks = sorted(cuts)
    for at, to in zip(marks, marks[1:], strict=False):
        letters = tuple(sorted(each.letter for each in here if each.start <= at and to <= each.end))
        ends = tuple(sorted(each.letter for each in here if each.end == to))
        yield Stretch(line_ends(text[at:to]), letters, ends)

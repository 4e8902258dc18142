"""A document's text, laid out for reading, and cut so that a long one shows its start at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

# Blank lines, and the end of a printed page. The indent of the line that follows is not part of it.
BLANK = re.compile(r"\n(?:[ \t]*(?:\r?\n|\f))+|\f(?:[ \t]*(?:\r?\n|\f))*")
BREAKS = re.compile(r"(?:[ \t]*(?:\r?\n|\f))+")
LIST_MARK = re.compile(r"^(?:[-*+•]|\d+[.)]) ", re.MULTILINE)
INDENTED = re.compile(r"\n(?: {2}|\t)")  # not the first line: prose often indents that one alone
CODE = re.compile(r"^(?:>>>|\|)|(?<=\n)(?: {4}|\t)|\A(?: {4}|\t)[^\n]{1,90}\Z", re.MULTILINE)
# Between the columns of a table. Two blanks behind a full stop or a comma are only somebody's way to type.
GAP = re.compile(r"""\S(?: {3}|\t)|[^\s.,:;?!)\]"'] {2}\S""")
SHORT = 45  # characters: a paragraph of lines this short was broken on purpose
PART = 40_000  # characters that are shown at once: more than any screen, laid out in a few milliseconds
_STOPS = (re.compile(r"\n"), re.compile(r"[.!?][\"')\]]*\s"), re.compile(r"\s"))


class Layout(StrEnum):
    """How a paragraph is shown. The value is its CSS class."""

    FLOWING = ""  # its lines were only wrapped to a page's width
    LINES = "preserve-lines"  # its line ends carry meaning: a list, verse, an address
    COLUMNS = "preserve-lines preserve-spaces"  # so do its blanks: code, a table


class Paragraph(NamedTuple):
    """One paragraph of a plain text."""

    text: str
    layout: Layout


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of a plain text, which blank lines part.

    Lines that were only wrapped to a page's width flow again; indented lines, lists, prompts and short lines
    keep their breaks; tables and code keep their blanks too.

    >>> paragraphs("One sentence that was\\nwrapped at some width, long enough to say so.")[0].layout.name
    'FLOWING'
    >>> paragraphs("Use:\\n    x = 1")[0].layout.name
    'COLUMNS'
    """
    blocks = (line_ends(text[start:end]) for start, end in places(text))
    return [Paragraph(block, layout_of(block)) for block in blocks]


def places(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where the paragraphs between `start` and `end` begin and end: with their indent, but without
    the blanks behind them."""
    end = len(text) if end is None else end
    at = start
    while at < end:
        blank = BLANK.search(text, at, end)
        to, beyond = (blank.start(), blank.end()) if blank else (end, end)
        if breaks := BREAKS.match(text, at, to):
            at = breaks.end()
        if block := text[at:to].rstrip():
            yield at, at + len(block)
        at = beyond


def line_ends(text: str) -> str:
    """Return the text with line ends as they are shown."""
    return text.replace("\r\n", "\n")


def layout_of(block: str) -> Layout:
    """Return how a paragraph is to be shown."""
    lines = block.split("\n")
    gaps = sum(1 for line in lines if GAP.search(line))
    is_list = LIST_MARK.search(block)
    if (gaps > 1 and 2 * gaps >= len(lines)) or (not is_list and CODE.search(block)):
        return Layout.COLUMNS
    if len(lines) > 1 and (is_list or INDENTED.search(block) or max(map(len, lines)) < SHORT):
        return Layout.LINES
    return Layout.FLOWING


def parts(text: str, size: int = PART) -> list[tuple[int, int]]:
    """Return where to cut a long text so that its parts can be shown one after the other: (start, end).

    Together they are the whole text; a text of up to `size` characters is one part, and so is an empty one. A
    cut lies between paragraphs where it can; in a paragraph that is longer than a part, behind a line, a
    sentence, a word, or where it must. What is marked in the text has no say, so a part stays the same part.

    >>> parts("First.\\n\\nSecond and longer.\\n\\nThird.", size=20)
    [(0, 8), (8, 28), (28, 34)]
    """
    found, start = [], 0
    while len(text) - start > size:
        cut = _cut(text, start, start + size)
        found.append((start, cut))
        start = cut
    return [*found, (start, len(text))]


def part_at(cuts: Sequence[tuple[int, int]], position: int) -> int:
    """Return which of the parts holds a position of the text, counted from 0."""
    return max(0, bisect_right(cuts, position, key=lambda cut: cut[0]) - 1)


def _cut(text: str, start: int, most: int) -> int:
    """Return the last good place for a cut after `start` and up to `most`."""
    blanks = [match.end() for match in BLANK.finditer(text, start + 1, most)]
    if blanks:
        return blanks[-1]
    half = (start + most) // 2  # a later half may have no such place; then the next kind of place is tried
    for stop in _STOPS:
        ends = [match.end() for match in stop.finditer(text, half, most)]
        if ends:
            return ends[-1]
    return max(start + 1, most)

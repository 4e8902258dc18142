"""A document's text, laid out for reading, and cut so that a long one shows its start at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

BLANK = re.compile(r"\n[ \t]*(?:\r?\n[ \t]*)+")
BREAKS = re.compile(r"(?:\r?\n)+")
LAID_OUT = re.compile(r"^(?: {2}|\t|>>>|[-*+•] |\d+[.)] |\|)", re.MULTILINE)
SHORT = 45  # characters: a paragraph of lines this short was broken on purpose
PART = 40_000  # characters that are shown at once: more than any screen, laid out in a few milliseconds
_STOPS = (re.compile(r"\n"), re.compile(r"[.!?][\"')\]]*\s"), re.compile(r"\s"))


class Paragraph(NamedTuple):
    """One paragraph. `kept`: its line breaks and indents carry meaning (code, a list, a table, verse)."""

    text: str
    kept: bool


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of a plain text, which blank lines part.

    Lines that were only wrapped to a page's width flow again; indented lines, lists, prompts and short lines
    keep their breaks.

    >>> paragraphs("One sentence that was\\nwrapped at some width, long enough to say so.")[0].kept
    False
    >>> paragraphs("Use:\\n    x = 1")[0].kept
    True
    """
    blocks = (line_ends(text[start:end]) for start, end in places(text))
    return [Paragraph(block, is_kept(block)) for block in blocks]


def places(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where the paragraphs between `start` and `end` begin and end, without the blanks around them."""
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


def is_kept(block: str) -> bool:
    """Return whether a paragraph's line breaks carry meaning."""
    lines = block.split("\n")
    return len(lines) > 1 and (bool(LAID_OUT.search(block)) or max(map(len, lines)) < SHORT)


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

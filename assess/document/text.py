"""A document's text laid out in paragraphs, and divided into parts so that a long one is shown at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from statistics import median
from typing import NamedTuple

# Blank lines and form feeds. The indent of the following line is not part of it.
PARAGRAPH_END = re.compile(r"\n(?:[ \t]*(?:\r?\n|\f))+|\f(?:[ \t]*(?:\r?\n|\f))*")
LEADING_BREAKS = re.compile(r"(?:[ \t]*(?:\r?\n|\f))+")
LIST_MARK = re.compile(r"^(?:[-*+•]|\d+[.)]) ", re.MULTILINE)
INDENTED = re.compile(r"^(?: {2}|\t)")
CODE = re.compile(r"^(?:>>>|\|)|\A(?: {4}|\t)[^\n]{1,90}\Z", re.MULTILINE)
CODE_LINE = re.compile(r"^(?: {4}|\t)")
# Between the columns of a table. Two blanks after a full stop or a comma are only a typing habit.
COLUMN_GAP = re.compile(r"""\S(?: {3}|\t)[ \t]*\S|[^\s.,:;?!)\]"'] {2}\S""")
SHORT_LINE = 45  # characters: a paragraph of lines this short has intended line breaks
PART_LENGTH = 40_000  # characters shown at once: more than any screen, laid out in a few milliseconds
MAX_WORD_LENGTH = 20  # mean characters of a "word" with its blank: more in Chinese, Japanese or Thai
_STOPS = (re.compile(r"\n"), re.compile(r"[.!?][\"')\]]*\s"), re.compile(r"\s"))


class Layout(StrEnum):
    """How a paragraph is shown. The value is its CSS class."""

    FLOWING = ""  # its lines were only wrapped
    LINES = "preserve-lines"  # its line ends have a meaning: a list, verse, an address
    COLUMNS = "preserve-lines preserve-spaces"  # its blanks too: code, a table


class Paragraph(NamedTuple):
    """One paragraph of a plain text."""

    text: str
    layout: Layout


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of a plain text, which are separated by blank lines.

    Lines that were only wrapped at a width are joined; indented lines, lists, prompts and short lines keep
    their line breaks; tables and code also keep their blanks.

    >>> paragraphs("One sentence that was\\nwrapped at some width, long enough to say so.")[0].layout.name
    'FLOWING'
    >>> paragraphs("Use:\\n    x = 1")[0].layout.name
    'COLUMNS'
    """
    blocks = (line_ends(text[start:end]) for start, end in paragraph_spans(text))
    return [Paragraph(block, layout_of(block)) for block in blocks]


def paragraph_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield start and end of the paragraphs between `start` and `end`.

    With their indent, without trailing blanks.
    """
    end = len(text) if end is None else end
    at = start
    while at < end:
        blank = PARAGRAPH_END.search(text, at, end)
        to, beyond = (blank.start(), blank.end()) if blank else (end, end)
        if breaks := LEADING_BREAKS.match(text, at, to):
            at = breaks.end()
        if block := text[at:to].rstrip():
            yield at, at + len(block)
        at = beyond


def line_ends(text: str) -> str:
    """Return the text with normalised line ends."""
    return text.replace("\r\n", "\n")


def layout_of(block: str) -> Layout:
    """Return how to show a paragraph."""
    lines = [line.rstrip() for line in block.split("\n")]  # files of fixed width pad their lines
    gaps = sum(1 for line in lines if COLUMN_GAP.search(line))
    is_list, indented = LIST_MARK.search(block), _indented(lines)
    is_code = CODE.search(block) or any(map(CODE_LINE.match, indented))
    if (gaps > 1 and 2 * gaps >= len(lines)) or (is_code and not is_list):
        return Layout.COLUMNS
    if len(lines) > 1 and (is_list or indented or max(map(len, lines)) < SHORT_LINE):
        return Layout.LINES
    return Layout.FLOWING


def _indented(lines: Sequence[str]) -> list[str]:
    """Return the lines, without the first, whose indent has a meaning.

    A few indented lines in a block of long lines have none, if no two follow each other: they begin the
    paragraphs of a text.
    """
    indented = [bool(INDENTED.match(line)) for line in lines]
    apart = not any(one and other for one, other in pairwise(indented))
    if apart and 3 * sum(indented[1:]) <= len(lines) and median(map(len, lines)) >= SHORT_LINE:
        return []
    return [line for line, is_indented in zip(lines[1:], indented[1:], strict=True) if is_indented]


def length_in_words(text: str) -> str:
    """Return the length of a text, rounded; in characters if its script has few blanks. "" for an empty text.

    >>> length_in_words("one two"), length_in_words("word " * 12_345)
    ('2 words', 'about 12,000 words')
    """
    count, characters = len(text.split()), len(text)
    unit = "word" if characters <= MAX_WORD_LENGTH * count else "character"
    size = count if unit == "word" else characters
    if size < 100:
        return f"{size} {unit}{'s' if size != 1 else ''}" if size else ""
    return f"about {round(size, 2 - len(str(size))):,} {unit}s"


def text_parts(text: str, size: int = PART_LENGTH) -> list[tuple[int, int]]:
    """Return the parts of a text that are shown one after the other: (start, end).

    Together they are the whole text; a text of up to `size` characters, even an empty one, is one part. A cut
    is between paragraphs if possible; in a paragraph longer than a part it is after a line, a sentence, a
    word, or at the limit. Highlighting has no influence, so the parts of a text are always the same.

    >>> text_parts("First.\\n\\nSecond and longer.\\n\\nThird.", size=20)
    [(0, 8), (8, 28), (28, 34)]
    """
    cuts, start = [], 0
    while len(text) - start > size:
        cut = _cut(text, start, start + size)
        cuts.append((start, cut))
        start = cut
    return [*cuts, (start, len(text))]


def _cut(text: str, start: int, most: int) -> int:
    """Return the best position for a cut after `start` and up to `most`."""
    blanks = [match.end() for match in PARAGRAPH_END.finditer(text, start + 1, most)]
    if blanks:
        return blanks[-1]
    half = (start + most) // 2  # without a line end in the second half, sentences are tried, then words
    for stop in _STOPS:
        ends = [match.end() for match in stop.finditer(text, half, most)]
        if ends:
            return ends[-1]
    return max(start + 1, most)

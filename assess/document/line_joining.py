"""Texts from PDF files, where every line ends with a line break: the lines of running text are joined."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from assess.document.characters import UNSPACED
from assess.document.text import LIST_MARK, Layout, layout_of, line_ends, paragraph_spans

# Of the usual width of a line. Characters differ in width, so a full line may have fewer of them.
FULL = 0.8
CLEARLY_SHORT = 0.65  # a paragraph without a longer line is verse, an address or a heading
MAX_CACHED = 8  # texts: a long one is requested in parts, one after the other

HYPHENS = "\u2010\u00ad-"  # hyphen, soft hyphen, hyphen-minus; the last one ends a set of characters
_DIVIDED = re.compile(rf"(?P<before>[^\W\d_]+)[{HYPHENS}]$")
_WORD = re.compile(rf"[^\W_]+(?:[{HYPHENS}][^\W_]+)*")
_COMPOUND = re.compile(rf"[{HYPHENS}][^\W_]*[{HYPHENS}]$")  # state-of-the-
_ELLIPTICAL = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "e", "o", "en", "of"})
_NO_BLANK = re.compile(f"[{UNSPACED}][{UNSPACED}]")


@lru_cache(maxsize=MAX_CACHED)
def join_lines(text: str) -> str:
    """Return a text whose running lines are joined; only blanks, line ends and hyphens at line ends change.

    Two lines stay apart where the first word of the second had room on the first, or the second is indented
    or begins a list item. Lists, tables, code and paragraphs of clearly short lines keep their line ends. A
    divided word is joined without its hyphen unless the text has it with one elsewhere.

    >>> join_lines("The committee was asked to con-\\ntrol the well-known mea-\\nsures.\\n\\nA title")
    'The committee was asked to control the well-known measures.\\n\\nA title'
    """
    text = line_ends(text)
    usual = _usual_width(text)
    words = frozenset(word.lower() for word in _WORD.findall(text)) if _ends_divided(text) else frozenset()
    pieces, at = [], 0
    for start, end in paragraph_spans(text):
        pieces += [text[at:start], _joined(text[start:end], usual, words)]
        at = end
    return "".join([*pieces, text[at:]])


def _usual_width(text: str) -> int:
    """Return the length that a fifth of the lines have or exceed."""
    lengths = sorted(len(line.strip()) for line in text.split("\n") if line.strip())
    return lengths[len(lengths) * 4 // 5] if lengths else 0


def _ends_divided(text: str) -> bool:
    return re.search(rf"[{HYPHENS}][ \t]*\n", text) is not None


def _joined(block: str, usual: int, words: frozenset[str]) -> str:
    lines = [line.rstrip() for line in block.split("\n")]
    if len(lines) == 1 or layout_of(block) == Layout.COLUMNS or max(map(len, lines)) < CLEARLY_SHORT * usual:
        return block
    pieces = [lines[0]]
    for line, following in pairwise(lines):
        pieces.append(_gap(line, following, usual) or _continued(pieces, following, words))
        pieces.append(following.lstrip() if pieces[-1] in ("", " ") else following)
    return "".join(pieces)


def _gap(line: str, following: str, usual: int) -> str:
    """Return the separator of two lines that stay apart: a line end before a list item, else a blank line."""
    if LIST_MARK.match(following.lstrip()):
        return "\n"
    if _DIVIDED.search(line) and following.lstrip()[:1].isalpha():
        return ""
    indent = len(following) - len(following.lstrip()) - (len(line) - len(line.lstrip()))
    first = following.split(maxsplit=1)[0] if following.strip() else ""
    if (indent >= 2 and not LIST_MARK.match(line.lstrip())) or len(line) + 1 + len(first) < FULL * usual:
        return "\n\n"
    return ""


def _continued(pieces: list[str], following: str, words: frozenset[str]) -> str:
    """Return the separator of two joined lines, "" or a blank; remove the hyphen of a divided word."""
    line, rest = pieces[-1], following.lstrip()
    if _NO_BLANK.match(line[-1:] + rest[:1]):
        return ""
    if line[-1:] not in HYPHENS or not line:
        return " "
    divided, second = _DIVIDED.search(line), _WORD.match(rest)
    if not second or not re.search(r"\w.$", line) or second[0].lower() in _ELLIPTICAL:
        return " "  # a dash, or "pre- and post-war"
    if divided and _loses_hyphen(line, divided["before"], second[0], words):
        pieces[-1] = line[:-1]
    return ""


def _loses_hyphen(line: str, before: str, second: str, words: frozenset[str]) -> bool:
    if line.endswith("\u00ad"):
        return True
    if (before + second).lower() in words:
        return True
    compounds = (f"{before}{hyphen}{second}".lower() for hyphen in HYPHENS)
    return second[0].islower() and not _COMPOUND.search(line) and not words.intersection(compounds)

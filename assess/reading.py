"""A document's text, laid out for reading."""

from __future__ import annotations

import re
from typing import NamedTuple

BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
LAID_OUT = re.compile(r"^(?: {2}|\t|>>>|[-*+•] |\d+[.)] |\|)", re.MULTILINE)
SHORT = 45  # characters: a paragraph of lines this short was broken on purpose


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
    blocks = [block.strip("\n").rstrip() for block in BLANK.split(text.replace("\r\n", "\n"))]
    return [Paragraph(block, _kept(block)) for block in blocks if block.strip()]


def _kept(block: str) -> bool:
    lines = block.split("\n")
    return len(lines) > 1 and (bool(LAID_OUT.search(block)) or max(map(len, lines)) < SHORT)

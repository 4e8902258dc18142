"""Markdown of plain text, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

SPECIAL = re.compile(r"([\\*_<>\[\]#|~$^{}])")


def prose(text: str) -> str:
    """Return text in which only backticks are Markdown, on one line.

    >>> prose("a_b of `c_d`")
    'a\\\\_b of `c_d`'
    """
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0:  # a backtick without its pair
        return SPECIAL.sub(r"\\\1", "'".join(parts))
    escaped = (SPECIAL.sub(r"\\\1", part) if place % 2 == 0 else part for place, part in enumerate(parts))
    return "`".join(escaped)


def code(text: object) -> str:
    """Return text as code in a line, also within a table."""
    words = f"{text}".replace("|", "\\|")
    return f"`{words}`" if words else ""


def block(text: str, language: str = "text") -> str:
    """Return a block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)

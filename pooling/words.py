"""Numbers and lists in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable


def counted(number: int, word: str, words: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "run"), counted(2_000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{number:,} {word if number == 1 else words or f'{word}s'}"


def enumeration(items: Iterable[object], most: int = 8, separator: str = ", ") -> str:
    """Return the first items, separated by commas, and the number of the others.

    >>> enumeration(["3", "7"]), enumeration(["3", "7", "8", "11"], 2)
    ('3, 7', '3, 7 and 2 more')
    """
    words = [str(item) for item in items]
    others = f" and {len(words) - most:,} more" if len(words) > most else ""
    return separator.join(words[:most]) + others


def by_number(text: str) -> tuple[list[tuple[bool, int, str]], str]:
    """Return a key for sorting names, such as those of topics, in which numbers count as numbers.

    >>> sorted(["10", "A-10", "2", "A-9"], key=by_number)
    ['2', '10', 'A-9', 'A-10']
    """
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    key = [(False, int(part), "") if part[0] in "0123456789" else (True, 0, part) for part in parts]
    return key, text

"""Numbers and lists in sentences."""

from __future__ import annotations

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

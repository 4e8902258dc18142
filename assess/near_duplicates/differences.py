"""The words in which two near duplicates differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from assess.near_duplicates.shingles import words_of

CONTEXT = 4  # words beside a difference
MOST_WORDS = 20_000  # of one text; longer ones are not compared
MOST_DIFFERENCES = 50
GAP = "…"


class Passage(NamedTuple):
    """A difference. before, after: the words beside it, which both texts have. shown: words only in the first
    text, other: words only in the second."""

    before: str
    shown: str
    other: str
    after: str


class Differences(NamedTuple):
    """passages: at most MOST_DIFFERENCES, and `more` others. shown, other: number of words that differ."""

    passages: Sequence[Passage]
    shown: int
    other: int
    more: int = 0
    too_long: bool = False

    @property
    def same(self) -> bool:
        """Whether the texts have the same words."""
        return not (self.shown or self.other or self.too_long)


def differences(shown: str, other: str) -> Differences:
    """Return where the words of two texts differ; case, punctuation and blanks are no difference.

    >>> found = differences("measured in 41 houses in two winters", "Measured in 38 houses in two winters")
    >>> found.passages[0]
    Passage(before='measured in', shown='41', other='38', after='houses in two winters')
    """
    first, second = _tokens(shown), _tokens(other)
    if max(len(first), len(second)) > MOST_WORDS:
        return Differences([], 0, 0, too_long=True)
    passages, only_first, only_second = [], 0, 0
    for a, b, c, d in _changes([key for _, key in first], [key for _, key in second]):
        only_first += b - a
        only_second += d - c
        passages.append(
            Passage(
                (f"{GAP} " if a > CONTEXT else "") + _text(first, a - CONTEXT, a),
                _text(first, a, b),
                _text(second, c, d),
                _text(first, b, b + CONTEXT) + (f" {GAP}" if b + CONTEXT < len(first) else ""),
            )
        )
    more = max(0, len(passages) - MOST_DIFFERENCES)
    return Differences(passages[:MOST_DIFFERENCES], only_first, only_second, more)


Token = tuple[str, str]
"""A word as it stands in the text, and the words by which it is compared."""


def _tokens(text: str) -> list[Token]:
    tokens = ((word, " ".join(words_of(word))) for word in text.split())
    return [(word, key) for word, key in tokens if key]


def _text(tokens: Sequence[Token], start: int, end: int) -> str:
    return " ".join(word for word, _ in tokens[max(0, start) : max(0, end)])


def _changes(first: list[str], second: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of words that differ. What both begin and end with is not compared again."""
    shorter = min(len(first), len(second))
    start = next((place for place in range(shorter) if first[place] != second[place]), shorter)
    left = shorter - start
    end = next((place for place in range(left) if first[-1 - place] != second[-1 - place]), left)
    inside = first[start : len(first) - end], second[start : len(second) - end]
    for kind, a, b, c, d in SequenceMatcher(None, *inside).get_opcodes():
        if kind != "equal":
            yield start + a, start + b, start + c, start + d

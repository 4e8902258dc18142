"""The importance of a nugget from the votes of several people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from assess.nuggets.banks import (
    AVOID,
    MAX_IMPORTANCE,
    MUST,
    NUMBERS,
    OKAY,
    SHOULD,
    THREE_GRADES,
    TWO_GRADES,
    VITAL,
    Importance,
)

GRADINGS: Mapping[str, tuple[str | int, ...]] = {
    TWO_GRADES: (VITAL, OKAY),
    THREE_GRADES: (MUST, SHOULD, AVOID),
    NUMBERS: tuple(range(MAX_IMPORTANCE, -1, -1)),
}
"""Kind of importance -> what people may vote for."""

RULES: Mapping[str, str] = {
    TWO_GRADES: "the word of more than half of the votes",
    THREE_GRADES: "the word of more than half of the votes",
    NUMBERS: "the median of the votes",
}


def importance_from(votes: Sequence[str | int | float]) -> Importance:
    """Return what the votes on a nugget say together, None if they say nothing.

    Words: the one that more than half of the votes are for. Numbers: the median. None without votes, and
    where no word has a majority.

    >>> [importance_from(votes) for votes in (["vital", "okay", "vital"], ["vital", "okay"], [3, 10])]
    ['vital', None, 6.5]
    """
    numbers = [vote for vote in votes if not isinstance(vote, str)]
    if numbers:
        middle = float(median(numbers))
        return int(middle) if middle.is_integer() else middle
    ((word, count),) = Counter(votes).most_common(1) or [("", 0)]
    return word if count * 2 > len(votes) else None


def votes_in_words(votes: Sequence[str | int | float]) -> str:
    """Return the votes as a text, those of most people first.

    >>> votes_in_words(["okay", "vital", "vital"])
    '2 vital, 1 okay'
    """
    return ", ".join(f"{count} {vote}" for vote, count in Counter(map(str, votes)).most_common())

"""The filter of the adjudication page, and the letters that stand for judges."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

SHOWS = {
    "differ": "any difference",
    "cross": "crosses the threshold",
    "cannot": "a judge could not judge",
}
ORDERS = {"distance": "largest difference first", "crossing": "across the threshold first"}


class Wanted(NamedTuple):
    """A filter of disputed documents. show: a key of SHOWS. order: a key of ORDERS.

    grades: only documents that were given all of these. pair: two judges; then only their labels decide
    whether and how far the grades differ.
    """

    show: str = "differ"
    order: str = "distance"
    grades: frozenset[int] = frozenset()
    pair: tuple[int, int] | None = None


def letters(judges: Iterable[str], document: int) -> dict[str, str]:
    """Return judge -> the letter by which the adjudicator of one document sees them.

    The document's key decides the order: it is the same each time, and no judge has the same letter
    throughout.

    >>> sorted(letters(["ann", "bo"], document=1).values())
    ['A', 'B']
    """
    drawn = sorted(judges, key=lambda judge: hashlib.sha256(f"{document} {judge}".encode()).digest())
    return {judge: letter(place) for place, judge in enumerate(drawn)}


def letter(place: int) -> str:
    """Return A to Z, then A2 to Z2 and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    again, of_alphabet = divmod(place, 26)
    return chr(ord("A") + of_alphabet) + (str(again + 1) if again else "")

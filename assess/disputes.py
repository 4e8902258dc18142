"""Documents on which judges differ: which of them are asked for, and under which letters judges are seen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

SHOWS = {
    "differ": "any difference",
    "cross": "crosses the threshold",
    "cannot": "somebody could not judge",
}
ORDERS = {"distance": "widest gap first", "crossing": "what crosses the threshold first"}


class Wanted(NamedTuple):
    """What is asked for. show: of SHOWS. order: of ORDERS. grades: all of them were given to the document.

    pair: two judges; then their labels alone decide whether they differ, and how far.
    """

    show: str = "differ"
    order: str = "distance"
    grades: frozenset[int] = frozenset()
    pair: tuple[int, int] | None = None


def letters(judges: Iterable[str], document: int) -> dict[str, str]:
    """Return judge -> the letter under which one document's adjudicator sees them.

    The order is drawn by the document's key: the same whenever it is opened, and no judge has the same
    letter throughout.

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

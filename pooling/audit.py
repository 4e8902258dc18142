"""What an audit says: a line for everything that is stored otherwise than it is derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """Something that is not as it must be.

    what: the kind of thing and which of its sides. where: which one. expected: what it is when it is derived
    anew. found: what is stored. note: odd, and worth knowing, but possible without any fault.
    """

    what: str
    where: str
    expected: str
    found: str
    note: bool = False

    def __str__(self) -> str:
        return f"{self.what}, {self.where}: expected {self.expected}, found {self.found}"


Looked = list[Fault]
"""What is wrong with one thing that was looked at; empty when nothing is."""


class Check(NamedTuple):
    """One kind of thing in a campaign. look: yields, for each of them, what is wrong with it."""

    name: str
    look: Callable[[Any], Iterator[Looked]]


def differing(kind: str, where: str, sides: Mapping[str, tuple[object, object]]) -> Looked:
    """Return a fault for every side whose two values differ. sides: name -> (expected, found).

    >>> [str(fault) for fault in differing("run", "bm25", {"line count": (3, 2), "topics": (1, 1)})]
    ['run line count, bm25: expected 3, found 2']
    """
    return [
        Fault(f"{kind} {side}".strip(), where, str(expected), str(found))
        for side, (expected, found) in sides.items()
        if expected != found
    ]


def first_difference(expected: Iterator[str], found: Iterator[str]) -> tuple[int, str, str] | None:
    """Return number, expected and found of the first line in which two texts differ; None when they do not.

    A text that has ended goes on with the line "nothing".

    >>> first_difference(iter(["a", "b"]), iter(["a"]))
    (2, 'b', 'nothing')
    """
    for number, (one, other) in enumerate(zip_longest(expected, found), start=1):
        if one != other:
            return number, _line(one), _line(other)
    return None


def _line(line: str | None) -> str:
    return "nothing" if line is None else line.rstrip("\n")

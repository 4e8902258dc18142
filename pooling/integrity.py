"""The integrity check: a fault for every stored value that differs from the value derived again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """A stored value that differs from the derived one.

    what: the kind of object and which of its values. where: which object. expected: the value derived again.
    stored: the stored value. note: unusual, but possible without an error.
    """

    what: str
    where: str
    expected: str
    stored: str
    note: bool = False

    def __str__(self) -> str:
        return f"{self.what}, {self.where}: expected {self.expected}, found {self.stored}"

    def as_json(self) -> dict[str, Any]:
        """Return the fault as `audit --json` prints it."""
        return {
            "what": self.what,
            "where": self.where,
            "expected": self.expected,
            "found": self.stored,
            "note": self.note,
        }


Faults = list[Fault]
"""The faults of one checked object; empty if there are none."""


class Check(NamedTuple):
    """The check of one kind of object in a campaign. look: yields the faults of each object."""

    name: str
    look: Callable[[Any], Iterator[Faults]]


def differing(kind: str, where: str, sides: Mapping[str, tuple[object, object]]) -> Faults:
    """Return a fault for every value that differs. sides: name -> (expected, stored).

    >>> [str(fault) for fault in differing("run", "bm25", {"line count": (3, 2), "topics": (1, 1)})]
    ['run line count, bm25: expected 3, found 2']
    """
    return [
        Fault(f"{kind} {side}".strip(), where, str(expected), str(stored))
        for side, (expected, stored) in sides.items()
        if expected != stored
    ]


def first_difference(expected: Iterator[str], actual: Iterator[str]) -> tuple[int, str, str] | None:
    """Return (line number, expected, actual) of the first line that differs; None if the texts are equal.

    "nothing" stands for a line that one of the texts does not have.

    >>> first_difference(iter(["a", "b"]), iter(["a"]))
    (2, 'b', 'nothing')
    """
    for number, (one, other) in enumerate(zip_longest(expected, actual), start=1):
        if one != other:
            return number, _line(one), _line(other)
    return None


def _line(line: str | None) -> str:
    return "nothing" if line is None else line.rstrip("\n")

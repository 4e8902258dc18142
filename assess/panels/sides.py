"""Panels: which of two rankings, shown without names, is on the left."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

LEFT, RIGHT, EQUAL = "left", "right", "equal"
FIRST, SECOND = "first", "second"
OTHER = {FIRST: SECOND, SECOND: FIRST}


def shown_left(seed: int, judge: int, topics: Iterable[str]) -> dict[str, str]:
    """Return topic -> which run, "first" or "second", is on the left for a judge.

    Seed and judge decide an order of the topics, and sides alternate in it: each run is on the left for half
    of a judge's topics, which cannot be predicted from earlier topics. The result depends on the arguments
    only, so a reloaded page is the same.

    >>> sorted(shown_left(7, 1, ["401", "402", "403", "404"]).values())
    ['first', 'first', 'second', 'second']
    """
    order = sorted(topics, key=lambda topic: _digest(seed, judge, topic))
    begins = _digest(seed, judge, "")[0] % 2
    return {topic: (FIRST, SECOND)[(place + begins) % 2] for place, topic in enumerate(order)}


def run_of_side(choice: str, left: str) -> str:
    """Return the chosen run, "first", "second" or "equal", for a chosen side. left: the run on the left.

    >>> run_of_side("right", "second")
    'first'
    """
    return EQUAL if choice == EQUAL else left if choice == LEFT else OTHER[left]


def side_of_run(choice: str, left: str) -> str:
    """Return the side of a chosen run: the inverse of `run_of_side`.

    >>> side_of_run("first", "second")
    'right'
    """
    return EQUAL if choice == EQUAL else LEFT if choice == left else RIGHT


def _digest(seed: int, judge: int, topic: str) -> bytes:
    return sha256(f"{seed} {judge} {topic}".encode()).digest()

"""Compact letter displays: systems that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pooling.arrays import Flags

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class Display(NamedTuple):
    """A compact letter display.

    groups: of systems by their number, each in the order given; every pair inside a group is not different,
    and every pair that is not different is in some group. letters: of each system, by number; from the 27th
    group on letters come again with primes.
    """

    groups: tuple[tuple[int, ...], ...]
    letters: tuple[str, ...]


def letter_display(different: Flags, order: Sequence[int]) -> Display:
    """Return the display of a test's answers (Piepho 2004 on what it must show).

    different: shape (systems, systems), symmetric: which pairs are significant. order: the systems by number,
    best first; groups come and are filled in this order. Where whatever lies between two systems that are not
    different is different from neither, as in Tukey's test, the groups are as few as can be.
    """
    together: set[frozenset[int]] = set()
    groups = []
    for place, system in enumerate(order):
        alike = [other for other in order[place + 1 :] if not different[system, other]]
        for farthest in reversed(alike):
            if frozenset((system, farthest)) not in together:
                group = _grown(different, order, [system, farthest])
                together |= {frozenset((one, other)) for one in group for other in group}
                groups.append(group)
        if not any(system in group for group in groups):
            groups.append((system,))
    letters = tuple("".join(letter(g) for g, group in enumerate(groups) if s in group) for s in sorted(order))
    return Display(tuple(groups), letters)


def _grown(different: Flags, order: Sequence[int], group: list[int]) -> tuple[int, ...]:
    """Return the group with every system that is different from none in it, taken in order."""
    for system in order:
        if system not in group and not different[system, group].any():
            group.append(system)
    return tuple(sorted(group, key=order.index))


def letter(group: int) -> str:
    """Return what a group, numbered from 0, is called.

    >>> letter(1), letter(27)
    ('b', 'b′')
    """
    return ALPHABET[group % 26] + "′" * (group // 26)

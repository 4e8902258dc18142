"""Transitivity of preferences between pairs of items: documents, or systems."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from pooling.notebook import fields_html

Preferred = tuple[str, str]
"""A judged pair: the preferred item first."""


class Transitivity(NamedTuple):
    """Triples of items whose three pairs were judged. share: those without a cycle; None without a triple."""

    triples: int
    cycles: int

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def share(self) -> float | None:
        return 1 - self.cycles / self.triples if self.triples else None


def transitivity(judged: Iterable[Preferred]) -> Transitivity:
    """Count the triples, and the cycles a over b over c over a (Kendall & Babington Smith 1940).

    Of a pair that was judged several times the majority counts; a pair judged both ways equally often is not
    judged. Preferences at random make one triple in four a cycle.

    >>> transitivity([("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("b", "d")])
    Transitivity(triples=2, cycles=1)
    """
    lead: dict[Preferred, int] = {}
    for winner, loser in judged:
        lead[winner, loser] = lead.get((winner, loser), 0) + 1
        lead[loser, winner] = lead.get((loser, winner), 0) - 1
    partners: dict[str, set[str]] = {}
    for (one, other), wins in lead.items():
        if wins:
            partners.setdefault(one, set()).add(other)
    triples = cycles = 0
    for one, others in partners.items():
        for two, three in combinations(sorted(other for other in others if other > one), 2):
            if three in partners[two]:
                triples += 1
                cycles += (lead[one, two] > 0) == (lead[two, three] > 0) == (lead[three, one] > 0)
    return Transitivity(triples, cycles)

"""Three ways to merge the rankings of two runs into one list for a user.

All end where one of the rankings has no document left that is not in the list: the rest of the other one
could
only be credited to its own run. `draw` gives the random numbers, so that a list depends on its seed only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from math import fsum
from typing import NamedTuple

from pooling.strategies.draws import Draw

A, B = "A", "B"
DEPTH = 100  # ranks of a run that are used: below it are 4 in 100,000 of the softmax's probability
Ranking = Sequence[str]


class Merged(NamedTuple):
    """A list for a user. teams: for each document the run that added it, A or B; empty for balanced."""

    documents: list[str]
    teams: list[str]


Merge = Callable[[Ranking, Ranking, int, Draw], Merged]


def team_draft(a: Ranking, b: Ranking, length: int, draw: Draw) -> Merged:
    """Merge by team draft: the run with fewer documents in the list adds its best document that is not in it.

    A random draw decides if both have added the same number. Radlinski, Kurup & Joachims 2008.

    Known insensitivity: where the only clicked document has different ranks in the two runs, it is often
    equally
    likely to be added by either. With abc and bca, clicks on c show no preference although b ranks it higher.
    """
    documents: list[str] = []
    teams: list[str] = []
    while len(documents) < length:
        best_a, best_b = _best_new(a, documents), _best_new(b, documents)
        if best_a is None or best_b is None:
            break
        lead = teams.count(A) - teams.count(B)
        is_a = lead < 0 or (lead == 0 and draw("team", len(documents)) < 0.5)
        documents.append(best_a if is_a else best_b)
        teams.append(A if is_a else B)
    return Merged(documents, teams)


def balanced(a: Ranking, b: Ranking, length: int, draw: Draw) -> Merged:
    """Merge so that the top of the list has as many of the top documents of both runs, give or take one.

    A random draw decides which run begins. Joachims 2002, 2003.

    Known bias: where one ranking is the other one shifted by a place, random clicks prefer one of them. With
    abcd
    and bcda, a click on a random document of the list prefers the second in three of four cases.
    """
    documents: list[str] = []
    place_a = place_b = 0
    a_begins = draw("begins") < 0.5
    while len(documents) < length and place_a < len(a) and place_b < len(b):
        if place_a < place_b or (place_a == place_b and a_begins):
            document, place_a = a[place_a], place_a + 1
        else:
            document, place_b = b[place_b], place_b + 1
        if document not in documents:
            documents.append(document)
    return Merged(documents, [])


def probabilistic(a: Ranking, b: Ranking, length: int, draw: Draw) -> Merged:
    """Merge by random draws: for each place a random run, and of it a document by a softmax of the ranks.

    A document that is not in the list is drawn with a probability in proportion to 1 / rank^3. Every order of
    the
    documents is possible, so users may see poorer lists than either run's. Hofmann, Whiteson & de Rijke 2011.
    """
    documents: list[str] = []
    teams: list[str] = []
    while len(documents) < length:
        left_a, left_b = softmax(a, documents), softmax(b, documents)
        if not left_a or not left_b:
            break
        index = len(documents)
        is_a = draw("team", index) < 0.5
        documents.append(_drawn(left_a if is_a else left_b, draw("document", index)))
        teams.append(A if is_a else B)
    return Merged(documents, teams)


METHODS: dict[str, Merge] = {"team-draft": team_draft, "balanced": balanced, "probabilistic": probabilistic}


def softmax(ranking: Ranking, without: Collection[str]) -> dict[str, float]:
    """Return document -> probability in proportion to 1 / rank^3, of the documents that are not in `without`.

    >>> softmax(["a", "b", "c"], ["c"])
    {'a': 0.8888888888888888, 'b': 0.1111111111111111}
    """
    weights = {document: 1 / rank**3 for rank, document in enumerate(ranking, start=1)}
    for document in without:
        weights.pop(document, None)
    total = fsum(weights.values())
    return {document: weight / total for document, weight in weights.items()}


def _best_new(ranking: Ranking, documents: Collection[str]) -> str | None:
    return next((document for document in ranking if document not in documents), None)


def _drawn(chances: dict[str, float], at: float) -> str:
    ends = list(accumulate(chances.values()))
    return list(chances)[min(bisect_right(ends, at), len(ends) - 1)]

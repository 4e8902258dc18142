"""The best documents of a topic by preferences between pairs: which pairs to judge, and what follows from
them.

The stages and the grades are those of the program `preferences` of C. L. A. Clarke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pooling.notebook import fields_html
from pooling.strategies.draws import draw_source, shuffle

THRESHOLD, PAIRINGS = 9, 7  # documents whose pairs are all judged; pairs of each document before
ABOVE_GRADES = 100  # added to the grade of a best document

Pair = tuple[str, str]
"""Two documents, the first shown on the left."""

Preferred = tuple[str, str]
"""A judged pair: the preferred document first. A tie is a win of neither, and left out."""


def candidates(grades: Mapping[str, int], k: int) -> list[str]:
    """Return the k documents with the highest grades above 0, and all others with the last of these grades.

    >>> candidates({"a": 1, "b": 2, "c": 1, "d": 0}, 2)
    ['b', 'a', 'c']
    """
    relevant = sorted(
        (docno for docno, grade in grades.items() if grade > 0), key=lambda docno: -grades[docno]
    )
    if k < 1 or not relevant:
        return []
    last = grades[relevant[:k][-1]]
    return [docno for docno in relevant if grades[docno] >= last]


def pairs_of_stage(
    documents: Sequence[str], seed: int, stage: int = 1, threshold: int = THRESHOLD, pairings: int = PAIRINGS
) -> list[Pair]:
    """Return the pairs to judge: all of them for up to `threshold` documents, else `pairings` of each
    document.

    If documents and pairings are both odd numbers, one document has a pair more. Sides and order are random.

    >>> [len(pairs_of_stage([str(each) for each in range(n)], seed=1)) for n in (9, 10, 20, 50, 100)]
    [36, 35, 70, 175, 350]
    """
    draw = draw_source(seed, str(stage))
    if len(documents) <= max(threshold, pairings + 1):
        pairs = list(combinations(documents, 2))
    else:
        pairs = _near_regular(shuffle(documents, draw, "place"), pairings)
    sided = [pair if draw("side", *sorted(pair)) < 0.5 else pair[::-1] for pair in pairs]
    return sorted(sided, key=lambda pair: draw("order", *sorted(pair)))


def _near_regular(documents: Sequence[str], degree: int) -> list[Pair]:
    """Return n * degree / 2 pairs, rounded up, in which each document has `degree` partners, one perhaps
    another.

    Documents stand in a circle: each is paired with its nearest neighbours, and with the opposite document if
    the
    degree is odd (Harary 1962). The circle is in random order, so each pair has the same chance.
    """
    n = len(documents)
    steps = [(index, (index + step) % n) for step in range(1, degree // 2 + 1) for index in range(n)]
    if degree % 2:
        half = (n + 1) // 2
        steps += [(index, (index + half) % n) for index in range(n // 2)]
        steps += [(n // 2, 0)] * (n % 2)  # the document without an opposite one
    return [(documents[one], documents[other]) for one, other in steps]


def wins_of(documents: Iterable[str], judged: Iterable[Preferred]) -> dict[str, int]:
    """Return how many pairs each document won."""
    wins = dict.fromkeys(documents, 0)
    for winner, _ in judged:
        wins[winner] += 1
    return wins


def survivors(documents: Sequence[str], judged: Iterable[Preferred], pairings: int = PAIRINGS) -> list[str]:
    """Return the documents with more than half of the pairings won, rounded down; all if none has so many.

    If none is dropped, the next stage is the final one. Fewer than the wanted number may be left.
    """
    wins = wins_of(documents, judged)
    return [docno for docno in documents if wins[docno] > pairings // 2] or list(documents)


def preference_grades(
    grades: Mapping[str, int], documents: Iterable[str], judged: Iterable[Preferred], k: int
) -> dict[str, int]:
    """Return grades in which the best k documents of the final stage, with ties, are above all others.

    documents, judged: of the final stage, with all pairs. A best document has its wins + the highest grade +
    100.

    >>> preference_grades({"a": 2, "b": 2, "c": 1, "d": 0}, "abc", [("a", "b"), ("a", "c"), ("c", "b")], 1)
    {'a': 104, 'b': 2, 'c': 1, 'd': 0}
    """
    wins = wins_of(documents, judged)
    best = sorted(wins.values(), reverse=True)[:k]
    above = max(grades.values(), default=0) + ABOVE_GRADES
    return {
        docno: wins[docno] + above if best and wins.get(docno, -1) >= best[-1] else grade
        for docno, grade in grades.items()
    }


class Best(NamedTuple):
    """The result of all stages. stages: the judged pairs of each; the last one has all pairs of the rest."""

    grades: dict[str, int]
    stages: list[list[Preferred]]

    def _repr_html_(self) -> str:
        return fields_html(self)


def best_by_preference(
    grades: Mapping[str, int],
    prefer: Callable[[str, str], str],
    k: int,
    seed: int,
    threshold: int = THRESHOLD,
    pairings: int = PAIRINGS,
) -> Best:
    """Judge all stages of a topic. prefer: returns the preferred one of two documents, left and right."""
    pool, stages = candidates(grades, k), list[list[Preferred]]()
    is_final = False
    while not is_final:
        is_final = len(pool) <= threshold or (bool(stages) and len(pool) == _documents_in(stages[-1]))
        pairs = pairs_of_stage(pool, seed, len(stages) + 1, max(threshold, len(pool) * is_final), pairings)
        stages.append([_judged(pair, prefer(*pair)) for pair in pairs])
        if not is_final:
            pool = survivors(pool, stages[-1], pairings)
    return Best(preference_grades(grades, pool, stages[-1], k), stages)


def _documents_in(judged: Iterable[Preferred]) -> int:
    return len({docno for pair in judged for docno in pair})


def _judged(pair: Pair, winner: str) -> Preferred:
    left, right = pair
    return (left, right) if winner == left else (right, left)

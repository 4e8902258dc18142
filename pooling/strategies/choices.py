"""Pools by choice: which of the candidates a strategy takes, in columns.

Each choice takes what the plain function of its strategy takes, document for document; the plain ones say
why. Flags are of shape (documents,), beside `Candidates.documents`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil

import numpy as np

from pooling.columns import Flags, IntVector, Vector

from .candidates import Candidates
from .draws import drawn, draws, shuffled
from .runs import ASCENDING, DESCENDING
from .strata import parse_strata
from .strategy import Choice, Terms


def everything(candidates: Candidates, terms: Terms) -> Flags:
    """Take all: of a depth pool the candidates are the pool, of a live order they are what it can come to."""
    return np.ones(len(candidates.documents.ids), dtype=bool)


def by_scores(scores: Callable[[Candidates, Terms], Vector]) -> Choice:
    """Return the choice of the floor and then of the highest scores, equal ones as the tie rule says."""

    def choice(candidates: Candidates, terms: Terms) -> Flags:
        values = scores(candidates, terms)

        def rest(topic: str, left: IntVector, count: int) -> IntVector:
            return _highest(candidates, values[left], left, count, terms.ties)

        return _filled(candidates, terms, rest)

    return choice


def in_depth_order(candidates: Candidates, terms: Terms) -> Flags:
    """Take the floor and then what stands highest in any run; of the last depth the runs that come first."""
    finds, best = candidates.finds, candidates.documents.best_ranks

    def rest(topic: str, left: IntVector, count: int) -> IntVector:
        depth = np.partition(best[left], count - 1)[count - 1]
        whole, last = left[best[left] < depth], left[best[left] == depth]
        if len(whole) + len(last) == count:
            return np.concatenate([whole, last])
        turn_of_run = _turns(tuple(candidates.tags), terms.seed, topic, int(depth) - 1)
        start, end = np.searchsorted(finds.documents, [left[0], left[-1] + 1])
        there = start + np.flatnonzero(finds.ranks[start:end] == depth)
        turn_of_document = np.full(left[-1] + 1 - left[0], len(turn_of_run))
        np.minimum.at(turn_of_document, finds.documents[there] - left[0], turn_of_run[finds.runs[there]])
        in_turn = last[np.argsort(turn_of_document[last - left[0]])]
        return np.concatenate([whole, in_turn[: count - len(whole)]])

    return _filled(candidates, terms, rest)


@lru_cache(maxsize=1_000)  # plans that are shown side by side draw the same turns
def _turns(tags: tuple[str, ...], seed: int, topic: str, level: int) -> IntVector:
    """Return at which turn each run comes; int64 of shape (runs,)."""
    turns = shuffled(tags, draws(seed, topic), "level", level)
    return np.argsort([tags.index(tag) for tag in turns])


def in_strata(candidates: Candidates, terms: Terms) -> Flags:
    """Take a random share of each stratum of best ranks."""
    best, chosen = candidates.documents.best_ranks, np.zeros(len(candidates.documents.ids), dtype=bool)
    strata = parse_strata(terms.values["strata"])
    stratum_of = np.searchsorted([stratum.deepest for stratum in strata], best)
    for topic, rows in candidates.of_topics():
        for number, (_, rate) in enumerate(strata):
            inside = rows.start + np.flatnonzero(stratum_of[rows] == number)
            count = ceil(round(rate * len(inside), 9))
            if 0 < count < len(inside):
                docnos = candidates.docnos(candidates.documents.ids[inside])
                chances = drawn(docnos, terms.seed, topic, "stratum", number + 1)
                inside = _highest(candidates, -chances, inside, count, ASCENDING)
            chosen[inside[:count]] = True
    return chosen


Rest = Callable[[str, IntVector, int], IntVector]
"""Topic, the rows that are left behind the floor, how many are wanted (1 or more, not all) -> rows."""


def _filled(candidates: Candidates, terms: Terms, rest: Rest) -> Flags:
    """Take the floor and, within the budget of each topic, others."""
    chosen: Flags = candidates.documents.best_ranks <= terms.values["floor"]
    for topic, rows in candidates.of_topics():
        left = rows.start + np.flatnonzero(~chosen[rows])
        count = terms.values["budget"] - (rows.stop - rows.start - len(left))
        if count > 0:
            chosen[left if count >= len(left) else rest(topic, left, count)] = True
    return chosen


def _highest(
    candidates: Candidates, values: Vector | IntVector, rows: IntVector, count: int, ties: str
) -> IntVector:
    """Return the `count` rows of the highest values. Only of those equal to the last one docnos are read."""
    cut = np.partition(values, len(values) - count)[len(values) - count]
    above, equal = rows[values > cut], rows[values == cut]
    order = np.argsort(candidates.docnos(candidates.documents.ids[equal]))
    in_order = equal[order[::-1] if ties == DESCENDING else order]
    return np.concatenate([above, in_order[: count - len(above)]])

"""Which of the candidates a strategy takes: a floor that no run misses, and then others up to a budget.

The floor is kept whole even where it holds more than the budget. It guarantees that no participating run has
an unjudged document in its first ranks, which fusion and learning do not (Voorhees 2018). Flags are of shape
(documents,), beside `Candidates.documents`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pooling.arrays import Flags, IntVector, Vector
from pooling.formats.run_order import DESCENDING
from pooling.strategies.candidates import Candidates
from pooling.strategies.draws import draw_source, shuffle
from pooling.strategies.strategy import PoolSettings, Selection


def everything(candidates: Candidates, settings: PoolSettings) -> Flags:
    """Take all: of a depth pool the candidates are the pool, of a live order they are what it can come to."""
    return np.ones(len(candidates.documents.ids), dtype=bool)


def by_scores(scores: Callable[[Candidates, PoolSettings], Vector]) -> Selection:
    """Return the selection of the floor and then of the highest scores, equal ones as the tie rule says."""

    def selection(candidates: Candidates, settings: PoolSettings) -> Flags:
        values = scores(candidates, settings)

        def rest(topic: str, left: IntVector, count: int) -> IntVector:
            return highest_rows(candidates, values[left], left, count, settings.ties)

        return _filled(candidates, settings, rest)

    return selection


def in_depth_order(candidates: Candidates, settings: PoolSettings) -> Flags:
    """Take the floor and then what stands highest in any run.

    At each depth the runs take turns in a random order, so a budget that ends inside a depth favours no run
    (FairTake: Lipani et al. 2017).
    """
    postings, best = candidates.postings, candidates.documents.best_ranks

    def rest(topic: str, left: IntVector, count: int) -> IntVector:
        depth = np.partition(best[left], count - 1)[count - 1]
        whole, last = left[best[left] < depth], left[best[left] == depth]
        if len(whole) + len(last) == count:
            return np.concatenate([whole, last])
        turn_of_run = _turns(tuple(candidates.tags), settings.seed, topic, int(depth) - 1)
        start, end = np.searchsorted(postings.documents, [left[0], left[-1] + 1])
        at_depth = start + np.flatnonzero(postings.ranks[start:end] == depth)
        turn_of_document = np.full(left[-1] + 1 - left[0], len(turn_of_run))
        np.minimum.at(
            turn_of_document, postings.documents[at_depth] - left[0], turn_of_run[postings.runs[at_depth]]
        )
        in_turn = last[np.argsort(turn_of_document[last - left[0]])]
        return np.concatenate([whole, in_turn[: count - len(whole)]])

    return _filled(candidates, settings, rest)


def _turns(tags: tuple[str, ...], seed: int, topic: str, level: int) -> IntVector:
    """Return at which turn each run comes; int64 of shape (runs,)."""
    turns = shuffle(tags, draw_source(seed, topic), "level", level)
    return np.argsort([tags.index(tag) for tag in turns])


RestSelection = Callable[[str, IntVector, int], IntVector]
"""Topic, the rows that are left behind the floor, how many are wanted (1 or more, not all) -> rows."""


def _filled(candidates: Candidates, settings: PoolSettings, rest: RestSelection) -> Flags:
    """Take the floor and, within the budget of each topic, others."""
    chosen: Flags = candidates.documents.best_ranks <= settings.values["floor"]
    for topic, rows in candidates.of_topics():
        left = rows.start + np.flatnonzero(~chosen[rows])
        count = settings.values["budget"] - (rows.stop - rows.start - len(left))
        if count > 0:
            chosen[left if count >= len(left) else rest(topic, left, count)] = True
    return chosen


def highest_rows(
    candidates: Candidates, values: Vector | IntVector, rows: IntVector, count: int, ties: str
) -> IntVector:
    """Return the `count` rows of the highest values. Only of those equal to the last one docnos are read."""
    cut = np.partition(values, len(values) - count)[len(values) - count]
    above, equal = rows[values > cut], rows[values == cut]
    order = np.argsort(candidates.docnos(candidates.documents.ids[equal]))
    in_order = equal[order[::-1] if ties == DESCENDING else order]
    return np.concatenate([above, in_order[: count - len(above)]])

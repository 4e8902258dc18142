"""Pools of a fixed number of documents a topic, filled in some order, from a floor that no run misses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from .draws import Draw, shuffled
from .pooled import Found, Pooled
from .runs import Lists, RunRankings, topics_of

NOT_FOUND = Found(None, 0)


def depth_order(lists: Lists, draw: Draw) -> Iterator[str]:
    """Yield a topic's documents by depth: every run's first, then every run's second, and so on.

    At each depth the runs take turns in a random order, so a budget that ends inside a depth favours none
    (FairTake: Lipani et al. 2017).
    """
    seen: set[str] = set()
    for place in range(max(map(len, lists.values()), default=0)):
        for tag in shuffled(lists, draw, "level", place):
            if place < len(lists[tag]) and (docno := lists[tag][place]) not in seen:
                seen.add(docno)
                yield docno


def floor_of(lists: Lists, floor: int, draw: Draw) -> list[str]:
    """Return the first `floor` documents of every run on a topic, in depth order."""
    return list(depth_order({tag: ranking[:floor] for tag, ranking in lists.items()}, draw))


def filled(floor: Sequence[str], order: Iterable[str], budget: int) -> list[str]:
    """Return the floor and then documents in an order, up to a budget.

    The floor is kept whole even where it holds more than the budget. It guarantees that no participating run
    has an unjudged document in its first ranks, which orders that learn or fuse do not (Voorhees 2018).

    >>> filled(["a", "b"], ["c", "a", "d"], budget=3)
    ['a', 'b', 'c']
    """
    held = set(floor)
    rest = (docno for docno in order if docno not in held)
    return [*floor, *islice(rest, max(0, budget - len(held)))]


def fair_take(lists: Lists, budget: int, draw: Draw) -> list[str]:
    """Return the first `budget` documents in depth order: the deepest depth pool that fits, and a random part
    of the next depth (Lipani et al. 2017). `pooling.quality.complete_depths` tells that depth."""
    return filled([], depth_order(lists, draw), budget)


def chosen(runs: Iterable[RunRankings], docnos: Callable[[str], Iterable[str]], deepest: int) -> Pooled:
    """Return the pool of what a strategy chooses for each topic.

    docnos: topic -> the documents to pool, each in the first `deepest` of a run. How a document was found
    counts ranks up to `deepest`.
    """
    runs = list(runs)
    pool: Pooled = {}
    for topic in topics_of(runs):
        found = dict.fromkeys(docnos(topic), NOT_FOUND)
        for ranking in (run.rankings.get(topic, ())[:deepest] for run in runs):
            for docno in found.keys() & ranking:
                rank, (best, count) = ranking.index(docno) + 1, found[docno]
                found[docno] = Found(min(rank, best or rank), count + 1)
        pool[topic] = found
    return pool

"""Ways from rankings to a pool: which documents of which topic are to be judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Rankings = Mapping[str, Sequence[str]]
"""What one run returned: topic -> docnos, best first, in pooling order."""


class Found(NamedTuple):
    """How runs found a pooled document: its best rank in any (None: in no run), and in how many."""

    best_rank: int | None
    run_count: int


Pooled = dict[str, dict[str, Found]]
"""topic -> docno -> how it was found."""


def depth_pool(runs: Iterable[Rankings], depth: int) -> Pooled:
    """Pool the first `depth` documents of every run, per topic (Sparck Jones & van Rijsbergen 1975).

    A run that returned fewer documents for a topic, or none, gives what it has.
    Raises ValueError for a depth below 1.

    >>> pool = depth_pool([{"1": ["a", "b"]}, {"1": ["b", "c"]}], depth=1)
    >>> sorted(pool["1"].items())
    [('a', Found(best_rank=1, run_count=1)), ('b', Found(best_rank=1, run_count=1))]
    """
    if depth < 1:
        raise ValueError(f"expected a depth of at least 1, found {depth}")
    pool: Pooled = {}
    for run in runs:
        for topic, ranking in run.items():
            found = pool.setdefault(topic, {})
            for rank, docno in enumerate(ranking[:depth], start=1):
                best, count = found.get(docno, (None, 0))
                found[docno] = Found(min(rank, best or rank), count + 1)
    return pool


def without(pool: Pooled, judged_before: Mapping[str, set[str]]) -> Pooled:
    """Return the residual pool: what earlier pools (topic -> docnos) do not hold already."""
    residual = {
        topic: {docno: how for docno, how in found.items() if docno not in judged_before.get(topic, set())}
        for topic, found in pool.items()
    }
    return {topic: found for topic, found in residual.items() if found}

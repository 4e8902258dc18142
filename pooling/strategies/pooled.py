"""What a pool is: the documents to judge for each topic, and how runs found them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple


class Found(NamedTuple):
    """How runs found a pooled document: its best rank in any (None: in no run), and in how many."""

    best_rank: int | None
    run_count: int


Pooled = dict[str, dict[str, Found]]
"""topic -> docno -> how it was found."""


def merged(pools: Iterable[Pooled]) -> Pooled:
    """Return the union of the pools of different runs.

    >>> merged([{"1": {"a": Found(3, 1)}}, {"1": {"a": Found(2, 4)}}])
    {'1': {'a': Found(best_rank=2, run_count=5)}}
    """
    union: Pooled = {}
    for pool in pools:
        for topic, found in pool.items():
            union_found = union.setdefault(topic, {})
            for docno, how in found.items():
                best, count = union_found.get(docno, (None, 0))
                ranks = [rank for rank in (best, how.best_rank) if rank is not None]
                union_found[docno] = Found(min(ranks, default=None), count + how.run_count)
    return union


def without(pool: Pooled, judged_before: Mapping[str, Collection[str]]) -> Pooled:
    """Return the residual pool: what earlier pools (topic -> docnos) do not hold already."""
    residual = {
        topic: {docno: how for docno, how in found.items() if docno not in judged_before.get(topic, ())}
        for topic, found in pool.items()
    }
    return {topic: found for topic, found in residual.items() if found}

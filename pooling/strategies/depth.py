"""Pools of every run's first documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pooling.refusals import Refused

from .pooled import Found, Pooled, merged
from .runs import Rankings, RunRankings


def depth_pool(runs: Iterable[Rankings], depth: int) -> Pooled:
    """Pool the first `depth` documents of every run, per topic (Sparck Jones & van Rijsbergen 1975).

    A run that returned fewer documents for a topic, or none, gives what it has.
    Raises Refused for a depth below 1.

    >>> pool = depth_pool([{"1": ["a", "b"]}, {"1": ["b", "c"]}], depth=1)
    >>> sorted(pool["1"].items())
    [('a', Found(best_rank=1, run_count=1)), ('b', Found(best_rank=1, run_count=1))]
    """
    if depth < 1:
        raise Refused(f"expected a depth of at least 1, found {depth}")
    pool: Pooled = {}
    for run in runs:
        for topic, ranking in run.items():
            found = pool.setdefault(topic, {})
            for rank, docno in enumerate(ranking[:depth], start=1):
                best, count = found.get(docno, (None, 0))
                found[docno] = Found(min(rank, best or rank), count + 1)
    return pool


def pool_by_depths(runs: Iterable[RunRankings], depths: Mapping[str, int]) -> Pooled:
    """Pool each run to the depth of its tag: manual runs deeper, say (Harman 1993; Voorhees & Harman 2005).

    depths: tag -> depth. Raises KeyError for a run without a depth, ValueError for a depth below 1.
    """
    alike: dict[int, list[Rankings]] = {}
    for run in runs:
        alike.setdefault(depths[run.tag], []).append(run.rankings)
    return merged(depth_pool(rankings, depth) for depth, rankings in alike.items())

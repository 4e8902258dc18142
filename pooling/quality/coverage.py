"""How far down runs are judged: holes in their first ranks, and the depth to which none has any."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from statistics import fmean

from pooling.strategies import Pooled, RunRankings, depth_pool, topics_of, without

Judged = Mapping[str, Collection[str]]
"""topic -> docnos that have a grade; a topic without any is one with an empty collection."""


def complete_depths(pool: Mapping[str, Collection[str]], runs: Iterable[RunRankings]) -> dict[str, int]:
    """Return topic -> the effective complete depth: the largest k such that every run's first k are pooled.

    A run that ends earlier, or lacks the topic, holds nobody back; where all that runs returned is pooled it
    is the length of the longest. Every topic of a run is there, at 0 when a first document is missing.
    """
    runs = list(runs)
    return {topic: _complete_depth(pool.get(topic, ()), runs, topic) for topic in topics_of(runs)}


def _complete_depth(pooled: Collection[str], runs: Iterable[RunRankings], topic: str) -> int:
    longest, complete = 0, None
    for run in runs:
        ranking = run.rankings.get(topic, ())
        longest = max(longest, len(ranking))
        for docno in ranking[:complete]:
            if docno not in pooled:
                complete = ranking.index(docno)
                break
    return longest if complete is None else complete


def unjudged_at(runs: Iterable[RunRankings], judged: Judged, k: int) -> dict[str, dict[str, float]]:
    """Return tag -> topic -> unjudged@k, the unjudged among a run's first k over k (trec_eval 10's `unj`).

    A short list counts as if filled up with judged documents. Topics are those of `judged` that the run has
    documents for. Ranks are those of the rankings: in pooling order, or in scoring order where a score is to
    be explained. Raises ValueError for k below 1.

    >>> run = RunRankings("r", {"1": ["a", "b", "c"]})
    >>> unjudged_at([run], {"1": {"a"}, "2": {"z"}}, k=4)
    {'r': {'1': 0.5}}
    """
    if k < 1:
        raise ValueError(f"expected a cut-off of at least 1, found {k}")
    return {
        run.tag: {
            topic: sum(docno not in docnos for docno in run.rankings[topic][:k]) / k
            for topic, docnos in judged.items()
            if run.rankings.get(topic)
        }
        for run in runs
    }


def mean_unjudged(unjudged: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return tag -> the mean over the topics that the run has documents for; 0 without any."""
    return {tag: fmean(by_topic.values()) if by_topic else 0.0 for tag, by_topic in unjudged.items()}


def holes(runs: Iterable[RunRankings], judged: Judged, k: int) -> Pooled:
    """Return the pool that fills the holes: what stands unjudged in the first k of a run.

    Raises ValueError for k below 1.
    """
    return without(depth_pool([run.rankings for run in runs], k), judged)

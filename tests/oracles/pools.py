"""Pools by loops over docnos: the definitions of the strategies, with which the engine must agree.

Every fusion takes a topic's lists (tag -> docnos, best first), already cut at the deepest rank that counts,
and returns docno -> score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import islice
from math import ceil
from operator import add
from typing import Any

from pooling.formats.run_order import ASCENDING, DESCENDING
from pooling.refusals import Refused
from pooling.strategies.build import eligible
from pooling.strategies.candidates import Pooled, PoolEntry
from pooling.strategies.draws import Draw, draw_source, shuffle
from pooling.strategies.fusion import SCORE_STEP
from pooling.strategies.live_orders import depth_order
from pooling.strategies.rankings import Lists, Rankings, RunRankings, lists_of, topics_of_runs
from pooling.strategies.registry import strategy_of
from pooling.strategies.strata import RankStratum, Sample, SamplePlace, parse_strata

Scores = dict[str, float]


def build(
    name: str,
    runs: Sequence[RunRankings],
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> Pooled:
    """Return the pool of a strategy; of a live one every document that its order can come to."""
    strategy = strategy_of(name)
    values = strategy.checked(parameters)
    read = eligible(runs, values)
    if name == "depth":
        pool = pool_by_depths(read, {run.tag: strategy.reach(values, run.kind) for run in read})
    elif name == "stratified":
        strata = parse_strata(str(values["strata"]))
        whole = depth_pool([run.rankings for run in read], strata[-1].deepest)
        pool = sampled_pool(whole, stratified_sample(whole, strata, seed))
    elif strategy.live:
        pool = depth_pool([run.rankings for run in read], int(values["deepest"] or 0))
    else:
        pool = _budgeted(name, read, values, seed, ties)
    return {topic: found for topic, found in pool.items() if found}


def _budgeted(
    name: str, runs: Sequence[RunRankings], values: Mapping[str, Any], seed: int, ties: str
) -> Pooled:
    def docnos(topic: str) -> list[str]:
        draw, lists = draw_source(seed, topic), lists_of(runs, topic, values["deepest"])
        scores = {run.tag: run.scores.get(topic, ())[: values["deepest"]] for run in runs}
        floor = list(depth_order({tag: each[: values["floor"]] for tag, each in lists.items()}, draw))
        if name == "take":
            return filled(floor, depth_order(lists, draw), values["budget"])
        fused = FUSIONS[name](lists, scores, values)
        return filled(floor, by_score(fused, ties), values["budget"])

    return chosen(runs, docnos, values["deepest"])


def depth_pool(runs: Iterable[Rankings], depth: int) -> Pooled:
    """Pool the first `depth` documents of every run, per topic (Sparck Jones & van Rijsbergen 1975).

    A run that returned fewer documents for a topic, or none, gives what it has.
    Raises Refused for a depth below 1.

    >>> pool = depth_pool([{"1": ["a", "b"]}, {"1": ["b", "c"]}], depth=1)
    >>> sorted(pool["1"].items())
    [('a', PoolEntry(best_rank=1, run_count=1)), ('b', PoolEntry(best_rank=1, run_count=1))]
    """
    if depth < 1:
        raise Refused(f"expected a depth of at least 1, found {depth}")
    pool: Pooled = {}
    for run in runs:
        for topic, ranking in run.items():
            found = pool.setdefault(topic, {})
            for rank, docno in enumerate(ranking[:depth], start=1):
                best, count = found.get(docno, (None, 0))
                found[docno] = PoolEntry(min(rank, best or rank), count + 1)
    return pool


def pool_by_depths(runs: Iterable[RunRankings], depths: Mapping[str, int]) -> Pooled:
    """Pool each run to the depth of its tag: manual runs deeper, say (Harman 1993; Voorhees & Harman 2005).

    depths: tag -> depth. Raises KeyError for a run without a depth, ValueError for a depth below 1.
    """
    alike: dict[int, list[Rankings]] = {}
    for run in runs:
        alike.setdefault(depths[run.tag], []).append(run.rankings)
    return merged(depth_pool(rankings, depth) for depth, rankings in alike.items())


def merged(pools: Iterable[Pooled]) -> Pooled:
    """Return the union of the pools of different runs.

    >>> merged([{"1": {"a": PoolEntry(3, 1)}}, {"1": {"a": PoolEntry(2, 4)}}])
    {'1': {'a': PoolEntry(best_rank=2, run_count=5)}}
    """
    union: Pooled = {}
    for pool in pools:
        for topic, found in pool.items():
            union_found = union.setdefault(topic, {})
            for docno, how in found.items():
                best, count = union_found.get(docno, (None, 0))
                ranks = [rank for rank in (best, how.best_rank) if rank is not None]
                union_found[docno] = PoolEntry(min(ranks, default=None), count + how.run_count)
    return union


def without(pool: Pooled, judged_before: Mapping[str, Collection[str]]) -> Pooled:
    """Return the residual pool: what earlier pools (topic -> docnos) do not hold already."""
    residual = {
        topic: {docno: how for docno, how in found.items() if docno not in judged_before.get(topic, ())}
        for topic, found in pool.items()
    }
    return {topic: found for topic, found in residual.items() if found}


NOT_FOUND = PoolEntry(None, 0)


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
    of the next depth (Lipani et al. 2017)."""
    return filled([], depth_order(lists, draw), budget)


def chosen(runs: Iterable[RunRankings], docnos: Callable[[str], Iterable[str]], deepest: int) -> Pooled:
    """Return the pool of what a strategy chooses for each topic.

    docnos: topic -> the documents to pool, each in the first `deepest` of a run. How a document was found
    counts ranks up to `deepest`.
    """
    runs = list(runs)
    pool: Pooled = {}
    for topic in topics_of_runs(runs):
        found = dict.fromkeys(docnos(topic), NOT_FOUND)
        for ranking in (run.rankings.get(topic, ())[:deepest] for run in runs):
            for docno in found.keys() & ranking:
                rank, (best, count) = ranking.index(docno) + 1, found[docno]
                found[docno] = PoolEntry(min(rank, best or rank), count + 1)
        pool[topic] = found
    return pool


def by_score(scores: Mapping[str, float], ties: str) -> list[str]:
    """Return the docnos, highest score first, equal ones as the tie rule says."""
    return sorted(sorted(scores, reverse=ties == DESCENDING), key=lambda docno: -scores[docno])


def _by_rank(lists: Lists, share: Callable[[int], float]) -> Scores:
    """Return docno -> the sum of what the runs that hold it give for its rank, added from the best down."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for ranking in lists.values():
        for rank, docno in enumerate(ranking, start=1):
            ranks[docno].append(rank)
    shares = [0.0, *map(share, range(1, max(map(len, lists.values()), default=0) + 1))]
    # Not `sum`, which compensates what it loses from Python 3.12 on.
    return {docno: reduce(add, [shares[rank] for rank in sorted(held)]) for docno, held in ranks.items()}


def reciprocal_rank_fusion(lists: Lists, constant: float = 60) -> Scores:
    """RRF: the sum of 1 / (constant + rank) over the runs (Cormack, Clarke & Buettcher 2009).

    >>> reciprocal_rank_fusion({"r": ["a", "b"], "s": ["b"]}, constant=1)
    {'a': 0.5, 'b': 0.8333333333333333}
    """
    return _by_rank(lists, lambda rank: 1 / (constant + rank))


def rank_biased(lists: Lists, p: float = 0.8) -> Scores:
    """RBP-sum: the sum of (1 - p) p^(rank - 1) over the runs (Moffat, Webber & Zobel 2007, method A).

    >>> rank_biased({"r": ["a", "b"], "s": ["b"]}, p=0.5)
    {'a': 0.5, 'b': 0.75}
    """
    return _by_rank(lists, lambda rank: (1 - p) * p ** (rank - 1))


def borda(lists: Lists) -> Scores:
    """Borda count: of c candidates a run gives its first c points, its second c - 1 and so on; those that it
    does not hold share the rest equally (Aslam & Montague 2001).

    >>> borda({"r": ["a", "b"], "s": ["b"]})
    {'a': 3.0, 'b': 3.0}
    """
    candidates = {docno for ranking in lists.values() for docno in ranking}
    count = len(candidates)
    leftover = {tag: (count - len(ranking) + 1) / 2 for tag, ranking in lists.items()}
    for_all = sum(leftover.values())  # as if every run held none; halves are exact
    scores = dict.fromkeys(sorted(candidates), for_all)
    for tag, ranking in lists.items():
        for rank, docno in enumerate(ranking, start=1):
            scores[docno] += count - rank + 1 - leftover[tag]
    return scores


def combsum(lists: Lists, scores: Mapping[str, Sequence[float]]) -> Scores:
    """CombSUM: the sum of the runs' scores (Fox & Shaw 1994), each run's brought to 0..1 (Lee 1997).

    scores: tag -> scores beside the docnos of its list. A run's lowest document counts as one that it does
    not hold; where all scores of a run are equal each counts 1, as its first one does elsewhere. Shares are
    whole numbers of `GRAIN`.

    >>> combsum({"r": ["a", "b", "c"]}, {"r": [8.0, 6.0, 4.0]})
    {'a': 1.0, 'b': 0.5, 'c': 0.0}
    """
    return {docno: sum(given) for docno, given in _normalised(lists, scores).items()}


def combmnz(lists: Lists, scores: Mapping[str, Sequence[float]]) -> Scores:
    """CombMNZ: CombSUM times the number of runs that hold the document (Fox & Shaw 1994; Lee 1997).

    >>> combmnz({"r": ["a", "b"], "s": ["a"]}, {"r": [2.0, 1.0], "s": [5.0]})
    {'a': 4.0, 'b': 0.0}
    """
    return {docno: len(given) * sum(given) for docno, given in _normalised(lists, scores).items()}


def _normalised(lists: Lists, scores: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    shares: dict[str, list[float]] = {}
    for tag, ranking in lists.items():
        low, high = min(scores[tag]) / 2, max(scores[tag]) / 2  # the whole spread may exceed all doubles
        for docno, score in zip(ranking, scores[tag], strict=True):
            share = (score / 2 - low) / (high - low) if high > low else 1.0
            shares.setdefault(docno, []).append(round(share / SCORE_STEP) * SCORE_STEP)
    return shares


def stratified_sample(pool: Pooled, strata: Iterable[RankStratum], seed: int) -> Sample:
    """Divide a pool into strata by best rank and sample each without replacement, uniformly, topic by topic.

    Of n documents in a stratum the share is rounded up, so that no stratum with a rate above 0 goes without
    a judgment. Documents deeper than the last stratum are left out.
    """
    strata = tuple(strata)
    return {topic: _sampled(found, strata, seed, topic) for topic, found in sorted(pool.items()) if found}


def _sampled(
    found: Mapping[str, PoolEntry], strata: tuple[RankStratum, ...], seed: int, topic: str
) -> dict[str, SamplePlace]:
    placed: dict[str, SamplePlace] = {}
    above = 0
    for number, (deepest, rate) in enumerate(strata, start=1):
        inside = [docno for docno, how in found.items() if above < (how.best_rank or 0) <= deepest]
        # Rounded first: 0.07 * 100 is a little more than 7.
        count = ceil(round(rate * len(inside), 9))
        for place, docno in enumerate(shuffle(inside, draw_source(seed, topic), "stratum", number)):
            placed[docno] = SamplePlace(number, place < count)
        above = deepest
    return placed


def sampled_pool(pool: Pooled, sample: Sample) -> Pooled:
    """Return the part of the pool that is to be judged."""
    return {
        topic: {docno: pool[topic][docno] for docno, place in placed.items() if place.sampled}
        for topic, placed in sample.items()
    }


FUSIONS: dict[str, Callable[[Lists, Mapping[str, Sequence[float]], Mapping[str, Any]], Scores]] = {
    "rrf": lambda lists, scores, values: reciprocal_rank_fusion(lists, values["constant"]),
    "borda": lambda lists, scores, values: borda(lists),
    "rbp": lambda lists, scores, values: rank_biased(lists, values["p"]),
    "combsum": lambda lists, scores, values: combsum(lists, scores),
    "combmnz": lambda lists, scores, values: combmnz(lists, scores),
}
STATIC = ("depth", "stratified", "take", *FUSIONS)  # the strategies that `build` makes by loops

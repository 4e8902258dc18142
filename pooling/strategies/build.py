"""Pools and live orders from a strategy's name, its parameters, a seed, a tie rule and runs.

There is one engine, over `Candidates`: `select_candidates` selects among them for a draft, for a frozen pool,
and for a pool that is rebuilt from its manifest. `build_pool` and `simulate_pool` take runs by name, as the
command line reads them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from pooling.arrays import Flags
from pooling.formats.run_order import ASCENDING, check_ties
from pooling.refusals import Refused
from pooling.strategies.candidates import Candidates, Pooled, candidates_of_rankings
from pooling.strategies.live_orders import LiveOrder, simulate
from pooling.strategies.rankings import AnyRun, RunDescription, RunRankings, first_of_groups
from pooling.strategies.registry import strategy_of
from pooling.strategies.strata import Sample, parse_strata, sample_by_name
from pooling.strategies.strategy import PoolSettings, Strategy, rankings_of_topic


def select_candidates(
    name: str,
    candidates: Candidates,
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> Flags:
    """Return which candidates are in the pool of a strategy; shape (documents,).

    candidates: of the runs that `eligible` names, each down to its reach. The pool is the same for the same
    arguments, whatever the order of the runs. Of a live strategy it is every document that the order can come
    to (`order_of` says which come first, and stops at the budget). Raises Refused for an unknown strategy or
    tie rule, and for parameters that it does not have or that are out of range; ValueError for candidates
    without scores where scores are read.
    """
    strategy, settings = _agreed(name, parameters, seed, ties)
    if strategy.reads_scores and len(candidates.scores) < len(candidates.postings.ranks):
        raise ValueError("expected a score beside every document of every run, found fewer")
    return strategy.select(candidates, settings)


def candidates_for(name: str, runs: Sequence[RunRankings], parameters: Mapping[str, Any]) -> Candidates:
    """Return what a strategy chooses among: what the runs that it reads hold, each down to its reach.

    Raises Refused as `select_candidates`, and for two runs of one tag.
    """
    strategy = strategy_of(name)
    values = strategy.checked(parameters)
    read = _read(strategy, runs, values)
    depths = [strategy.reach(values, run.kind) for run in read]
    return candidates_of_rankings(read, depths, strategy.reads_scores)


def build_pool(
    name: str,
    runs: Sequence[RunRankings],
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> Pooled:
    """Return the pool of a strategy, by name. Raises Refused and ValueError as `select_candidates`."""
    candidates = candidates_for(name, runs, parameters)
    return candidates.pooled(select_candidates(name, candidates, parameters, seed, ties))


def order_of(
    name: str,
    runs: Sequence[RunRankings],
    topic: str,
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> LiveOrder:
    """Return how a live strategy judges one topic.

    runs: as for `build_pool`; only their rankings of this topic are read. Raises Refused as `build_pool`, and
    for a strategy that is not live.
    """
    strategy, settings = _agreed(name, parameters, seed, ties)
    runs = _read(strategy, runs, settings.values)
    if strategy.order is None:
        raise Refused(f"{name} is not live: its pool is known before a document is judged")
    return strategy.order(rankings_of_topic(runs, topic, settings.values["deepest"], settings))


def simulate_pool(
    name: str,
    runs: Sequence[RunRankings],
    relevant: Mapping[str, Collection[str]],
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> Pooled:
    """Return what a live strategy would have had judged, if these documents (topic -> docnos) are relevant.

    Documents stand in the order in which they are judged. Raises Refused as `order_of`.
    """
    pool = {}
    for topic, documents in build_pool(name, runs, parameters, seed, ties).items():
        order = order_of(name, runs, topic, parameters, seed, ties)
        pool[topic] = {docno: documents[docno] for docno in simulate(order, relevant.get(topic, ()))}
    return pool


def reaches(name: str, runs: Iterable[RunDescription], parameters: Mapping[str, Any]) -> dict[str, int]:
    """Return tag -> the deepest rank at which the strategy reads the run: 0 for one that it leaves out."""
    strategy = strategy_of(name)
    values, runs = strategy.checked(parameters), list(runs)
    read = {run.tag for run in eligible(runs, values)}
    return {run.tag: strategy.reach(values, run.kind) if run.tag in read else 0 for run in runs}


def eligible(runs: Iterable[AnyRun], values: Mapping[str, Any]) -> list[AnyRun]:
    """Return the runs that a strategy reads. values: its parameters, complete."""
    return first_of_groups(runs, values["per_group"]) if values["per_group"] else list(runs)


def sample_of(candidates: Candidates, parameters: Mapping[str, Any], seed: int, ties: str) -> Sample:
    """Return where every document of a stratified pool fell, sampled or not: what prels are written from.

    parameters: with the strata. The sampled ones are those of `choose("stratified", ...)`. Raises Refused as
    `select_candidates`.
    """
    chosen = select_candidates("stratified", candidates, parameters, seed, ties)
    return sample_by_name(candidates, parse_strata(parameters["strata"]), chosen)


def _agreed(name: str, parameters: Mapping[str, Any], seed: int, ties: str) -> tuple[Strategy, PoolSettings]:
    """Return the strategy and its settings, checked."""
    strategy = strategy_of(name)
    settings = PoolSettings(strategy.checked(parameters), seed, check_ties(ties))
    floor, deepest = (settings.values.get(name, 0) for name in ("floor", "deepest"))
    if floor > deepest:
        raise Refused(f"floor: expected at most {deepest}, as deepest is, found {floor}")
    return strategy, settings


def _read(strategy: Strategy, runs: Sequence[RunRankings], values: Mapping[str, Any]) -> list[RunRankings]:
    """Return the runs that the strategy reads, checked."""
    tag, count = Counter(run.tag for run in runs).most_common(1)[0] if runs else ("", 0)
    if count > 1:
        raise Refused(f"expected a tag of its own for every run, found {tag!r} {count} times")
    if strategy.reads_scores:
        _check_scores(runs)
    return eligible(runs, values)


def _check_scores(runs: Iterable[RunRankings]) -> None:
    for run in runs:
        if any(len(run.scores.get(topic, ())) != len(ranking) for topic, ranking in run.rankings.items()):
            raise ValueError(f"expected a score beside every document of run {run.tag}, found fewer")

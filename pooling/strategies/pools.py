"""Pools and live orders that follow from a strategy's name, its parameters, a seed, a tie rule and runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from pooling.columns import Flags
from pooling.refusals import Refused

from .candidates import Candidates
from .live import LiveOrder, simulate
from .pooled import Pooled
from .registry import strategy_of, stratified
from .runs import ASCENDING, AnyRun, RunRankings, checked_ties, first_of_groups
from .strata import Sample
from .strategy import Strategy, Terms, ballot_of


def build(
    name: str,
    runs: Sequence[RunRankings],
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> Pooled:
    """Return the pool of a strategy: the same for the same arguments, whatever the order of the runs.

    Of a live strategy it is every document that the order can come to (`order_of` says which come first, and
    stops at the budget). Raises Refused for an unknown strategy or tie rule, parameters that it does not
    have or that are out of range, two runs of one tag, and runs without scores where scores are read.
    """
    strategy, terms = _agreed(name, parameters, seed, ties)
    runs = _read(strategy, runs, terms)
    return {topic: found for topic, found in strategy.pool(runs, terms).items() if found}


def order_of(
    name: str,
    runs: Sequence[RunRankings],
    topic: str,
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> LiveOrder:
    """Return how a live strategy judges one topic, for `next_document` and `simulate`.

    runs: as for `build`; only what they returned for this topic is read. Raises Refused as `build`, and
    for a strategy that is not live.
    """
    strategy, terms = _agreed(name, parameters, seed, ties)
    runs = _read(strategy, runs, terms)
    if strategy.order is None:
        raise Refused(f"{name} is not live: its pool is known before a document is judged")
    return strategy.order(ballot_of(runs, topic, terms.values["deepest"], terms))


def played(
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
    candidates = build(name, runs, parameters, seed, ties)
    pool = {}
    for topic, found in candidates.items():
        order = order_of(name, runs, topic, parameters, seed, ties)
        pool[topic] = {docno: found[docno] for docno in simulate(order, relevant.get(topic, ()))}
    return pool


def reaches(name: str, runs: Iterable[RunRankings], parameters: Mapping[str, Any]) -> dict[str, int]:
    """Return tag -> the deepest rank at which the strategy reads the run: 0 for one that it leaves out."""
    strategy = strategy_of(name)
    values, runs = strategy.checked(parameters), list(runs)
    read = {run.tag for run in eligible(runs, values)}
    return {run.tag: strategy.reach(values, run.kind) if run.tag in read else 0 for run in runs}


def choose(
    name: str,
    candidates: Candidates,
    parameters: Mapping[str, Any],
    seed: int = 0,
    ties: str = ASCENDING,
) -> Flags:
    """Return which candidates are in the pool that `build` makes of the same runs; shape (documents,).

    candidates: of the runs that `eligible` names, each down to its reach. Raises Refused as `build`.
    """
    strategy, terms = _agreed(name, parameters, seed, ties)
    if strategy.reads_scores and len(candidates.scores) < len(candidates.finds.ranks):
        raise ValueError("expected a score beside every document of every run, found fewer")
    return strategy.choice(candidates, terms)


def eligible(runs: Iterable[AnyRun], values: Mapping[str, Any]) -> list[AnyRun]:
    """Return the runs that a strategy reads. values: its parameters, complete."""
    return first_of_groups(runs, values["per_group"]) if values["per_group"] else list(runs)


def sample_of(
    runs: Sequence[RunRankings], parameters: Mapping[str, Any], seed: int = 0, ties: str = ASCENDING
) -> Sample:
    """Return where every document of a stratified pool fell, sampled or not: what prels are written from.

    Its sampled documents are those of `build("stratified", ...)`. Raises Refused as `build`.
    """
    strategy, terms = _agreed("stratified", parameters, seed, ties)
    runs = _read(strategy, runs, terms)
    return stratified(runs, terms)[1]


def _agreed(name: str, parameters: Mapping[str, Any], seed: int, ties: str) -> tuple[Strategy, Terms]:
    """Return the strategy and its terms, checked."""
    strategy = strategy_of(name)
    terms = Terms(strategy.checked(parameters), seed, checked_ties(ties))
    if terms.values.get("floor", 0) > terms.values.get("deepest", 0):
        raise Refused(
            f"floor: expected at most {terms.values['deepest']}, as deepest is, found {terms.values['floor']}"
        )
    return strategy, terms


def _read(strategy: Strategy, runs: Sequence[RunRankings], terms: Terms) -> list[RunRankings]:
    """Return the runs that the strategy reads, checked."""
    tag, count = Counter(run.tag for run in runs).most_common(1)[0] if runs else ("", 0)
    if count > 1:
        raise Refused(f"expected a tag of its own for every run, found {tag!r} {count} times")
    if strategy.reads_scores:
        _check_scores(runs)
    return eligible(runs, terms.values)


def _check_scores(runs: Iterable[RunRankings]) -> None:
    for run in runs:
        if any(len(run.scores.get(topic, ())) != len(ranking) for topic, ranking in run.rankings.items()):
            raise ValueError(f"expected a score beside every document of run {run.tag}, found fewer")

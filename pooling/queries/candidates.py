"""What stored runs offer a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from pooling.arrays import Flags, IntVector
from pooling.manifest import Plan
from pooling.models import Campaign, Run, Topic
from pooling.queries.caching import cached
from pooling.queries.pools import pooled_in
from pooling.queries.runs import docno_table, docnos_version, numbered
from pooling.strategies.candidates import Candidates, candidates_of, pair_keys
from pooling.strategies.pools import eligible
from pooling.strategies.registry import strategy_of


def candidates_by_plan(
    campaign: Campaign, runs: Iterable[Run], topics: Sequence[Topic]
) -> Callable[[Plan], Candidates]:
    """Return a function that gives what a plan chooses among; it raises Refused for parameters that the
    strategy refuses. Plans that read the same runs to the same depths share their candidates."""
    runs, names = list(runs), tuple(topic.number for topic in topics)
    table = docno_table(campaign)  # read after the runs: it has every document of theirs

    @cache
    def candidates(read: tuple[Run, ...], depths: tuple[int, ...], with_scores: bool) -> Candidates:
        ranked = numbered(read, names, with_scores)
        return candidates_of(ranked, depths, names, [run.tag for run in read], table.docnos)

    def of_plan(plan: Plan) -> Candidates:
        strategy = strategy_of(plan.strategy)
        values = strategy.checked(plan.parameters)
        read = tuple(eligible(runs, values))
        depths = tuple(strategy.reach(values, run.kind) for run in read)
        return candidates(read, depths, strategy.reads_scores)

    return of_plan


def new_documents(campaign: Campaign, runs: Iterable[Run], plan: Plan) -> tuple[Candidates, Flags]:
    """Return what a plan chooses among, and which of these documents it would pool: those that it chooses and
    that no pool holds so far. Raises Refused."""
    topics = list(campaign.topics.all())
    candidates = candidates_by_plan(campaign, runs, topics)(plan)
    return candidates, plan.choose(candidates) & ~are_among(held_keys(campaign, topics), candidates)


def are_among(keys: IntVector, candidates: Candidates) -> Flags:
    """Tell which candidates are among some pairs, each given by its key."""
    places = candidates.keys()
    at = np.searchsorted(places, keys)
    at, keys = at[at < len(places)], keys[at < len(places)]
    among = np.zeros(len(places), dtype=bool)
    among[at[places[at] == keys]] = True
    return among


def held_keys(campaign: Campaign, topics: Sequence[Topic]) -> IntVector:
    """Return the pooled pairs so far, each as one whole number.

    Cached until another pool is frozen, or a run numbers a document that was in no run when it was pooled.
    """
    pools = list(campaign.pools.values_list("pk", "manifest__sha256"))
    version = pools, [(topic.pk, topic.number) for topic in topics], docnos_version(campaign)
    return cached(campaign, "pooled-pairs", version, lambda: _read_keys(campaign, topics))


def _read_keys(campaign: Campaign, topics: Sequence[Topic]) -> IntVector:
    place_of = {topic.pk: place for place, topic in enumerate(topics)}
    rows = pooled_in(campaign).order_by().values_list("topic", "docno").iterator(chunk_size=10_000)
    held = [(place_of[topic], docno.encode()) for topic, docno in rows if topic in place_of]
    places, docnos = zip(*held, strict=True) if held else ((), ())
    ids = docno_table(campaign).find(np.array(docnos, dtype=np.bytes_))
    return pair_keys(np.array(places, dtype=np.int64), ids)

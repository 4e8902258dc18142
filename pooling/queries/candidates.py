"""What stored runs offer a pool, kept while an organiser moves the controls."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from pooling.columns import Flags, IntVector
from pooling.manifest import Plan
from pooling.models import Campaign, Run, Topic
from pooling.queries.pools import pooled_in
from pooling.queries.runs import docno_table, numbered
from pooling.recent import RecentValues
from pooling.strategies import Candidates, candidates_of, eligible, strategy_of
from pooling.strategies.candidates import pair_keys, with_scores

CANDIDATES: RecentValues[Hashable, Candidates] = RecentValues(128 << 20)  # of 100 full runs about 30 MB

HELD: RecentValues[int, tuple[Hashable, IntVector]] = RecentValues(32 << 20)
"""campaign -> its pools and topics, and their pairs as numbers."""


def candidates_for(
    campaign: Campaign, runs: Iterable[Run], topics: Sequence[Topic], plan: Plan
) -> Candidates:
    """Return what a plan chooses among. Raises Refused for parameters that the strategy refuses.

    Kept for the next call: runs never change, and most controls leave the candidates as they are.
    """
    strategy = strategy_of(plan.strategy)
    values = strategy.checked(plan.parameters)
    read = eligible(runs, values)
    depths = [strategy.reach(values, run.kind) for run in read]
    names = tuple(topic.number for topic in topics)
    stored = tuple((run.pk, run.sha256, run.tag) for run in read)
    key = (campaign.pk, names, stored, tuple(depths))
    kept = CANDIDATES.get(key)
    if kept is None:
        found, table = numbered(read, names, strategy.reads_scores), docno_table(campaign)
        kept = candidates_of(found, depths, names, [run.tag for run in read], table.docnos)
    elif strategy.reads_scores and not len(kept.scores):
        kept = with_scores(kept, numbered(read, names, with_scores=True), depths)
    else:
        return kept
    CANDIDATES.put(key, kept, kept.nbytes)
    return kept


def held_among(campaign: Campaign, topics: Sequence[Topic], candidates: Candidates) -> Flags:
    """Tell which candidates a frozen pool holds already; shape (documents,)."""
    return are_among(held_keys(campaign, topics), candidates)


def are_among(keys: IntVector, candidates: Candidates) -> Flags:
    """Tell which candidates are among some pairs, each given by its key."""
    places = candidates.keys()
    at = np.searchsorted(places, keys)
    at, keys = at[at < len(places)], keys[at < len(places)]
    among = np.zeros(len(places), dtype=bool)
    among[at[places[at] == keys]] = True
    return among


def held_keys(campaign: Campaign, topics: Sequence[Topic]) -> IntVector:
    """Return the pooled pairs so far, each as one whole number; kept until another pool is frozen."""
    pools = campaign.pools.values_list("pk", "manifest__sha256")
    state = (*pools, *((topic.pk, topic.number) for topic in topics))
    known, keys = HELD.get(campaign.pk) or ((), np.empty(0, dtype=np.int64))
    if known != state:
        place_of = {topic.pk: place for place, topic in enumerate(topics)}
        rows = pooled_in(campaign).order_by().values_list("topic", "docno").iterator(chunk_size=10_000)
        held = [(place_of[topic], docno.encode()) for topic, docno in rows if topic in place_of]
        places, docnos = zip(*held, strict=True) if held else ((), ())
        ids = docno_table(campaign).find(np.array(docnos, dtype=np.bytes_))
        keys = pair_keys(np.array(places, dtype=np.int64), ids)
        HELD.put(campaign.pk, (state, keys), keys.nbytes)
    return keys

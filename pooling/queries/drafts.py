"""What a plan would pool, before anything is committed."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

import numpy as np

from pooling.columns import IntVector
from pooling.manifest import Plan
from pooling.models import Campaign, Run, Topic
from pooling.quality import (
    Size,
    complete_depths,
    contributions,
    mean_unjudged,
    overlap,
    size_of,
    unjudged_at,
)
from pooling.quality.size import size_from
from pooling.queries.pools import pooled_before
from pooling.queries.runs import docno_table, ranked_ids, ranked_runs
from pooling.strategies import STRATEGIES, RunRankings, depth_pool, strategy_of, without
from pooling.strategies.columns import PoolColumns, RankedIds, depth_columns


def deepest_rank(plan: Plan) -> int:
    """Return the deepest rank at which a plan reads any run."""
    strategy = strategy_of(plan.strategy)
    values = strategy.checked(plan.parameters)
    return max(strategy.reach(values, kind) for kind in Run.Kind.values)


DEPTHS_SHOWN = 20


class Draft(NamedTuple):
    """What a plan would pool, beyond the pools that are frozen."""

    size: Size
    by_depth: list[tuple[int, int]]
    by_topic: list[tuple[Topic, int]]
    complete_depth: int


def draft_of(campaign: Campaign, runs: Iterable[Run], plan: Plan) -> Draft:
    """Return the figures of a draft. Raises ValueError for parameters that the strategy refuses.

    A plain depth pool is counted in columns: an organiser moves its depth and waits for no names.
    """
    runs, topics = list(runs), list(campaign.topics.all())
    before = pooled_before(campaign)
    held = held_keys(campaign, topics, before)
    numbered = [ranked_ids(run, topics) for run in runs]
    deep = depth_figures(numbered, DEPTHS_SHOWN, held)
    by_depth = [(k, int((deep.best_ranks <= k).sum())) for k in range(1, DEPTHS_SHOWN + 1)]
    values = strategy_of(plan.strategy).checked(plan.parameters)
    if plan.strategy == "depth" and not values["manual_k"] and not values["per_group"]:
        found = depth_figures(numbered, int(str(values["k"])), held)
        counts = np.bincount(found.topics, minlength=len(topics)).tolist()
        once, complete = int((found.run_counts == 1).sum()), int(str(values["k"]))
    else:
        ranked = ranked_runs(campaign, runs, max(deepest_rank(plan), 1))
        pooled = without(plan.pool(ranked), before)
        counts = [len(pooled.get(topic.number, ())) for topic in topics]
        once = size_of(pooled).found_once
        judged = {topic: {*pooled.get(topic, ()), *before.get(topic, ())} for topic in {**pooled, **before}}
        complete = min(complete_depths(judged, ranked).values(), default=0)
    by_topic = sorted(zip(topics, counts, strict=True), key=lambda row: -row[1])
    return Draft(size_from([count for count in counts if count], once), by_depth, by_topic, complete)


class Compared(NamedTuple):
    """A plan beside others. unjudged: the share of runs' first 5, 10, 20 that it leaves out, their mean."""

    plan: Plan
    size: Size
    unjudged: list[float]


COMPARED_DEPTHS = (5, 10, 20)


def compared_plans(campaign: Campaign, runs: Iterable[Run]) -> list[Compared]:
    """Return plain depths, and every strategy with a budget of as many documents as depth 10 takes.

    Earlier pools play no part: each plan is shown as if it were the first.
    """
    ranked = ranked_runs(campaign, runs, 100)
    plans = [Plan("depth", {"k": depth}) for depth in COMPARED_DEPTHS]
    budget = max(1, round(size_of(plans[1].pool(ranked)).middle))
    for name, strategy in STRATEGIES.items():
        if not strategy.live and any(parameter.name == "budget" for parameter in strategy.parameters):
            plans += [Plan(name, {"budget": budget, "floor": floor}) for floor in (0, 3)]
    return [_compared(plan, ranked) for plan in plans]


def _compared(plan: Plan, ranked: list[RunRankings]) -> Compared:
    pool = plan.pool(ranked)
    means = (mean_unjudged(unjudged_at(ranked, pool, depth)).values() for depth in COMPARED_DEPTHS)
    return Compared(plan, size_of(pool), [fmean(each) for each in means])


def overlap_of(campaign: Campaign, runs: Iterable[Run], depth: int = 10) -> list[tuple[str, list[float]]]:
    """Return a row per run: the share of its first `depth` documents that each run has among its own."""
    ranked = ranked_runs(campaign, runs, 100)
    pool = depth_pool((run.rankings for run in ranked), depth)
    found = overlap(contributions(pool, ranked, {run.tag: depth for run in ranked}))
    shares = found.shared / np.maximum(found.shared.diagonal(), 1)[:, None]
    return list(zip(found.tags, shares.tolist(), strict=True))


def held_keys(campaign: Campaign, topics: list[Topic], before: dict[str, set[str]]) -> IntVector:
    """Return the pooled pairs so far, each as one whole number: topic's place and document's number."""
    table, keys = docno_table(campaign), [np.empty(0, dtype=np.int64)]
    for place, topic in enumerate(topics):
        if docnos := before.get(topic.number):
            ids = table.find(np.array([docno.encode() for docno in docnos]))
            keys.append(pair_keys(np.full(len(ids), place), ids))
    return np.concatenate(keys)


def pair_keys(topics: IntVector, ids: IntVector) -> IntVector:
    return (topics << 32) | ids


def depth_figures(runs: list[RankedIds], depth: int, held: IntVector) -> PoolColumns:
    """Return the depth-k pool in columns, without the pairs that are held already."""
    pool = depth_columns(runs, depth)
    new = ~np.isin(pair_keys(pool.topics, pool.ids), held)
    return PoolColumns(*(column[new] for column in pool))

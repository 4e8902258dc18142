"""What a plan would pool, before anything is committed.

All over columns, for the figures need no names: an organiser moves a control and waits for the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pooling.arrays import Flags, IntVector
from pooling.manifest import Plan
from pooling.models import Campaign, Run, Topic
from pooling.quality.coverage import (
    complete_depth,
    overlap_columns,
    size_of_choice,
    sizes_of_topics,
    unjudged_of_choice,
)
from pooling.quality.size import Size
from pooling.queries.candidates import are_among, candidates_by_plan, held_keys
from pooling.queries.runs import numbered
from pooling.strategies.candidates import Candidates
from pooling.strategies.registry import STRATEGIES, strategy_of

DEPTHS_SHOWN = 20


class Draft(NamedTuple):
    """What a plan would pool, beyond the pools that are frozen.

    to_judge: how many of these documents are judged: all, or of a live order what its budget allows.
    """

    size: Size
    to_judge: int
    by_depth: list[tuple[int, int]]
    by_topic: list[tuple[Topic, int]]
    complete_depth: int


def draft_of(campaign: Campaign, runs: Iterable[Run], plan: Plan) -> Draft:
    """Return the figures of a draft. Raises Refused for parameters that the strategy refuses."""
    topics = list(campaign.topics.all())
    candidates_of, keys = candidates_by_plan(campaign, runs, topics), held_keys(campaign, topics)
    candidates = candidates_of(plan)
    chosen, held = plan.choose(candidates), are_among(keys, candidates)
    new = chosen & ~held
    counts = sizes_of_topics(candidates, new).tolist()
    most = budget_of(plan)
    return Draft(
        size_of_choice(candidates, new),
        sum(counts if most is None else (min(count, most) for count in counts)),
        sizes_by_depth(candidates_of(Plan("depth", {"k": DEPTHS_SHOWN})), keys),
        sorted(zip(topics, counts, strict=True), key=lambda row: -row[1]),
        complete_depth(candidates, chosen | held),
    )


def budget_of(plan: Plan) -> int | None:
    """Return how many documents of a topic a live order has judged; None where the pool itself says it."""
    strategy = strategy_of(plan.strategy)
    return int(strategy.checked(plan.parameters)["budget"]) if strategy.live else None  # type: ignore[arg-type]


def sizes_by_depth(candidates: Candidates, held: IntVector) -> list[tuple[int, int]]:
    """Return (k, new documents) of plain depth pools.

    candidates: of DEPTHS_SHOWN. held: the pairs that frozen pools hold, from `held_keys`.
    """
    new = ~are_among(held, candidates)
    added = np.bincount(candidates.documents.best_ranks[new], minlength=DEPTHS_SHOWN + 1)
    return list(enumerate(np.cumsum(added).tolist()))[1:]


class Compared(NamedTuple):
    """A plan beside others. unjudged: the share of runs' first 5, 10, 20 that it leaves out, their mean."""

    plan: Plan
    size: Size
    unjudged: list[float]


COMPARED_DEPTHS = (5, 10, 20)  # none deeper than DEPTHS_SHOWN


def compared_plans(campaign: Campaign, runs: Iterable[Run], plan: Plan) -> list[Compared]:
    """Return a plan, plain depths, and every strategy with a budget of what the plan takes of a topic.

    Earlier pools play no part: each plan is shown as if it were the first. A live plan has no row of its own,
    for its pool follows from the labels; the others get its budget.
    """
    candidates_of = candidates_by_plan(campaign, runs, list(campaign.topics.all()))
    top = candidates_of(Plan("depth", {"k": DEPTHS_SHOWN}))
    rows = [
        _compared(Plan("depth", {"k": depth}), top, top.documents.best_ranks <= depth, top)
        for depth in COMPARED_DEPTHS
    ]
    budget = budget_of(plan)
    if budget is None:
        own = candidates_of(plan)
        rows.insert(0, _compared(plan, own, plan.choose(own), top))
        budget = max(1, round(rows[0].size.middle))
    for name, strategy in STRATEGIES.items():
        if not strategy.live and any(parameter.name == "budget" for parameter in strategy.parameters):
            for floor in (0, 3):
                each = Plan(name, {"budget": budget, "floor": floor}, plan.seed, plan.ties)
                candidates = candidates_of(each)
                rows.append(_compared(each, candidates, each.choose(candidates), top))
    return rows


def _compared(plan: Plan, candidates: Candidates, chosen: Flags, top: Candidates) -> Compared:
    at_top = are_among(candidates.keys()[chosen], top)
    holes = [unjudged_of_choice(top, at_top, depth) for depth in COMPARED_DEPTHS]
    return Compared(plan, size_of_choice(candidates, chosen), holes)


def overlap_of(campaign: Campaign, runs: Iterable[Run], depth: int = 10) -> list[tuple[str, list[float]]]:
    """Return a row per run: the share of its first `depth` documents that each run has among its own."""
    names = [topic.number for topic in campaign.topics.all()]
    shared = overlap_columns(numbered(runs, names), depth)
    shares = shared / np.maximum(shared.diagonal(), 1)[:, None]
    return list(zip([run.tag for run in runs], shares.tolist(), strict=True))

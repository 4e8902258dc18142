"""Candidates for a pool from stored runs, and the figures of a pool before it is frozen.

Everything is computed on columns, because an organiser moves a control and waits for the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from pooling.arrays import Flags, IntVector
from pooling.manifest import PoolPlan
from pooling.models import Run, Topic
from pooling.quality.coverage import (
    Size,
    complete_depth,
    overlap_matrix,
    size_of_selection,
    sizes_of_topics,
    unjudged_of_selection,
)
from pooling.queries.documents import pooled_in
from pooling.queries.reads import PoolingReads
from pooling.queries.runs import ranked_ids
from pooling.queries.topics import topics_to_top_up
from pooling.strategies.build import eligible
from pooling.strategies.candidates import Candidates, RankedIds, candidates_of, pair_keys
from pooling.strategies.registry import STRATEGIES, strategy_of


def candidates_by_plan(reads: PoolingReads, runs: Iterable[Run]) -> Callable[[PoolPlan], Candidates]:
    """Return a function: plan -> candidates. It raises Refused for invalid parameters.

    Candidates have the places of all topics of the campaign, and documents only for the topics of the plan.
    Plans that read the same runs and topics to the same depths share their candidates.
    """
    runs, names = list(runs), tuple(reads.topic_numbers)
    table = reads.docnos  # read after the runs: it has every document of theirs

    @cache
    def ranked(read: tuple[Run, ...], with_scores: bool, only: tuple[str, ...] | None) -> list[RankedIds]:
        return ranked_ids(read, names, with_scores, only)

    @cache
    def candidates(
        read: tuple[Run, ...], depths: tuple[int, ...], with_scores: bool, only: tuple[str, ...] | None
    ) -> Candidates:
        rankings = ranked(read, with_scores, only)
        return candidates_of(rankings, depths, names, [run.tag for run in read], table.docnos)

    def of_plan(plan: PoolPlan) -> Candidates:
        strategy = strategy_of(plan.strategy)
        values = strategy.checked(plan.parameters)
        read = tuple(eligible(runs, values))
        depths = tuple(strategy.reach(values, run.kind) for run in read)
        return candidates(read, depths, strategy.reads_scores, plan.topics)

    return of_plan


def select_new_documents(
    reads: PoolingReads, runs: Iterable[Run], plan: PoolPlan
) -> tuple[Candidates, Flags]:
    """Return the candidates of a plan, and which of them it selects and no pool has. Raises Refused."""
    candidates = candidates_by_plan(reads, runs)(plan)
    return candidates, plan.choose(candidates) & ~are_among(pooled_keys(reads), candidates)


def count_unpooled(reads: PoolingReads, k: int) -> int:
    """Return how many documents among the first k of the runs are in no pool, for topics that have one."""
    plan = PoolPlan("depth", {"k": k}, topics=topics_to_top_up(reads.campaign))
    _, new = select_new_documents(reads, reads.campaign.runs.active(), plan)
    return int(new.sum())


def are_among(keys: IntVector, candidates: Candidates) -> Flags:
    """Return which candidates are among pairs of topic and document, given by keys; shape (documents,)."""
    places = candidates.keys()
    at = np.searchsorted(places, keys)
    at, keys = at[at < len(places)], keys[at < len(places)]
    among = np.zeros(len(places), dtype=bool)
    among[at[places[at] == keys]] = True
    return among


def pooled_keys(reads: PoolingReads) -> IntVector:
    """Return the keys of all pooled pairs of topic and document.

    Cached until another pool is frozen, or a run numbers a document that was in no run when it was pooled.
    """
    pools = list(reads.campaign.pools.values_list("pk", "manifest__sha256"))
    version = pools, [(topic.pk, topic.number) for topic in reads.topics], reads.docnos_version
    return reads.cached("pooled-pairs", version, lambda: _read_keys(reads))


def _read_keys(reads: PoolingReads) -> IntVector:
    index_of = {topic.pk: index for index, topic in enumerate(reads.topics)}
    rows = pooled_in(reads.campaign).order_by().values_list("topic", "docno").iterator(chunk_size=10_000)
    pooled = [(index_of[topic], docno.encode()) for topic, docno in rows if topic in index_of]
    places, docnos = zip(*pooled, strict=True) if pooled else ((), ())
    ids = reads.docnos.find(np.array(docnos, dtype=np.bytes_))
    return pair_keys(np.array(places, dtype=np.int64), ids)


DEPTHS_SHOWN = 20


class Draft(NamedTuple):
    """The figures of the pool of a plan, without the documents of frozen pools.

    to_judge: the number of documents to judge: all, or for a live order at most its budget for each topic.
    """

    size: Size
    to_judge: int
    by_depth: list[tuple[int, int]]
    by_topic: list[tuple[Topic, int]]
    complete_depth: int


def draft_of(reads: PoolingReads, runs: Iterable[Run], plan: PoolPlan) -> Draft:
    """Return the figures of a draft. Raises Refused for parameters that the strategy refuses."""
    candidates_of, keys = candidates_by_plan(reads, runs), pooled_keys(reads)
    candidates = candidates_of(plan)
    chosen, pooled = plan.choose(candidates), are_among(keys, candidates)
    new = chosen & ~pooled
    counts = sizes_of_topics(candidates, new).tolist()
    most = budget_of(plan)
    return Draft(
        size_of_selection(candidates, new),
        sum(counts if most is None else (min(count, most) for count in counts)),
        sizes_by_depth(candidates_of(depth_plan(DEPTHS_SHOWN, plan)), keys),
        sorted(
            (
                (topic, count)
                for topic, count in zip(reads.topics, counts, strict=True)
                if is_chosen(topic, plan)
            ),
            key=lambda row: -row[1],
        ),
        complete_depth(candidates, chosen | pooled),
    )


def depth_plan(k: int, plan: PoolPlan) -> PoolPlan:
    """Return the plan of a depth-k pool of the topics of another plan."""
    return PoolPlan("depth", {"k": k}, topics=plan.topics)


def is_chosen(topic: Topic, plan: PoolPlan) -> bool:
    return plan.topics is None or topic.number in plan.topics


def budget_of(plan: PoolPlan) -> int | None:
    """Return the budget of a live order for each topic; None for other strategies."""
    strategy = strategy_of(plan.strategy)
    return int(strategy.checked(plan.parameters)["budget"]) if strategy.live else None  # type: ignore[arg-type]


def sizes_by_depth(candidates: Candidates, pooled: IntVector) -> list[tuple[int, int]]:
    """Return (k, new documents) of plain depth pools.

    candidates: of DEPTHS_SHOWN. pooled: the pairs of the frozen pools, from `pooled_keys`.
    """
    new = ~are_among(pooled, candidates)
    added = np.bincount(candidates.documents.best_ranks[new], minlength=DEPTHS_SHOWN + 1)
    return list(enumerate(np.cumsum(added).tolist()))[1:]


class PlanComparison(NamedTuple):
    """The figures of one plan in a comparison. unjudged: mean unjudged@5, @10 and @20 of the runs."""

    plan: PoolPlan
    size: Size
    unjudged: list[float]


COMPARED_DEPTHS = (5, 10, 20)  # none deeper than DEPTHS_SHOWN


def compare_plans(reads: PoolingReads, runs: Iterable[Run], plan: PoolPlan) -> list[PlanComparison]:
    """Return the figures of a plan, of three depth pools, and of every strategy with the budget of the plan.

    Frozen pools are ignored. A live plan has no row, because its pool depends on the labels; the other
    strategies get its budget. Otherwise the budget is the median number of documents of a topic.
    """
    candidates_of = candidates_by_plan(reads, runs)
    top = candidates_of(depth_plan(DEPTHS_SHOWN, plan))
    rows = [
        _compared(depth_plan(depth, plan), top, top.documents.best_ranks <= depth, top)
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
                compared_plan = PoolPlan(
                    name, {"budget": budget, "floor": floor}, plan.seed, plan.ties, plan.topics
                )
                candidates = candidates_of(compared_plan)
                rows.append(_compared(compared_plan, candidates, compared_plan.choose(candidates), top))
    return rows


def _compared(plan: PoolPlan, candidates: Candidates, chosen: Flags, top: Candidates) -> PlanComparison:
    at_top = are_among(candidates.keys()[chosen], top)
    unjudged_counts = [unjudged_of_selection(top, at_top, depth) for depth in COMPARED_DEPTHS]
    return PlanComparison(plan, size_of_selection(candidates, chosen), unjudged_counts)


def overlap_of(
    reads: PoolingReads, runs: Iterable[Run], only: Collection[str] | None = None, depth: int = 10
) -> list[tuple[str, list[float]]]:
    """Return a row per run: the share of its first `depth` documents that each run has among its own.

    only: the topics that count; None for all. Cached until the runs or the topics are others.
    """
    runs, names = list(runs), reads.topic_numbers
    version = [(run.pk, run.tag, run.sha256) for run in runs], names, only, depth

    def compute() -> list[tuple[str, list[float]]]:
        shared = overlap_matrix(ranked_ids(runs, names, only=only), depth)
        shares = shared / np.maximum(shared.diagonal(), 1)[:, None]
        return list(zip([run.tag for run in runs], shares.tolist(), strict=True))

    return reads.cached("overlap", version, compute)

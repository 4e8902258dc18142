"""What the judgments of a campaign can carry so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from assess.queries import kept, stamp_of
from assess.queries.pooled_columns import (
    AgreedColumns,
    PooledColumns,
    agreed_columns,
    pooled_columns,
    to_judge_columns,
)
from metrics.evaluate import means_of, values_of
from metrics.hits import Hits
from metrics.index import QrelsIndex
from metrics.queries.agreed import qrels_of_columns
from metrics.queries.saturation import saturation_of
from metrics.queries.scores import scored
from metrics.rank_correlation import kendall_tau_b
from metrics.registry import parse_measure
from metrics.regraded import TAKEN_BACK, Regraded, regrade, topics_left
from pooling.columns import Flags, IntVector
from pooling.docnos import UNKNOWN
from pooling.models import Campaign, Run
from pooling.quality import (
    Contribution,
    Counts,
    Evidence,
    Level,
    Saturation,
    Verdict,
    groups_of,
    kinds_of,
    verdict,
)
from pooling.quality.brought import (
    Table,
    best_of_owners,
    brought_alone,
    contributions_of,
    ranks_brought,
    unjudged_of_runs,
)
from pooling.quality.saturation import levels_of
from pooling.queries import docno_table
from pooling.queries.runs import numbered
from pooling.strategies import STRATEGIES, RunRankings, reaches
from pooling.strategies.candidates import pair_keys

DEEPEST = 100  # how far down a run is looked at for what it brought
LOOKED_AT = (5, 10, 20)
QUALITY_MEASURE = "AP"
MEASURES = [parse_measure(QUALITY_MEASURE)]


class RunQuality(NamedTuple):
    """One run: its holes, what it brought, and its score: on all judgments, without those of documents that
    it alone brought, and without those that its group alone brought, with the ranks of the first and last.

    run: without its rankings, which nobody asks for here.
    """

    run: RunRankings
    unjudged: list[float]
    by_topic: list[float]
    brought: Contribution
    score: float
    without_run: float
    without_group: float
    rank: int
    rank_without: int


class Quality(NamedTuple):
    topics: list[str]
    runs: list[RunQuality]
    groups: dict[str, Contribution]
    kinds: dict[str, Contribution]
    curves: Saturation
    levels: list[Level]
    verdict: Verdict


def pool_quality(campaign: Campaign) -> Quality | None:
    """Return what the judgments so far can carry; None before there are runs and judgments.

    Kept until a label, a run or a pool changes it.
    """
    told = f"{stamp_of(campaign)}-{campaign.runs.count()}-{campaign.pools.count()}"
    return kept(campaign, "quality", told, lambda: _pool_quality(campaign))


def _pool_quality(campaign: Campaign) -> Quality | None:
    runs = list(campaign.runs.select_related("columns").defer("columns__scores"))
    documents, agreed = pooled_columns(campaign), agreed_columns(campaign)
    if not runs or not len(agreed.grades):
        return None
    numbers = list(campaign.topics.values_list("number", flat=True))
    ranked, described = numbered(runs, numbers), [described_run(run) for run in runs]
    keys = keys_of(campaign, documents)
    pooled = np.flatnonzero(to_judge_columns(campaign) & (documents.best_rank > 0))
    pooled = pooled[np.argsort(keys[pooled])]
    judged, relevant = (np.zeros(len(keys), dtype=bool) for _ in range(2))
    judged[agreed.documents] = True
    relevant[agreed.documents] = agreed.grades >= campaign.threshold
    reach = reached(campaign, described)
    brought = ranks_brought(keys[pooled], ranked, [min(reach[run.tag], DEEPEST) for run in runs])
    owners = list(groups_of(described).values())
    groups, kinds = (
        best_of_owners(brought, owners),
        best_of_owners(brought, list(kinds_of(described).values())),
    )
    counts = np.bincount(documents.topic[judged], minlength=len(numbers))
    hits = np.bincount(documents.topic[relevant], minlength=len(numbers))
    shown = np.unique(documents.topic[np.union1d(pooled, agreed.documents)])
    known = np.sort(keys[judged])
    holes = [unjudged_of_runs(known, ranked, len(numbers), k)[:, shown] for k in LOOKED_AT]
    unjudged = [dict(zip(reach, each.mean(axis=1).tolist(), strict=True)) for each in holes]
    full, by_run, alone = scores_without(campaign, runs, documents, agreed, pooled, brought, groups, owners)
    tallies, places = contributions_of(brought, relevant[pooled]), ranks_of(full)
    lines = [
        RunQuality(
            run,
            [shares[run.tag] for shares in unjudged],
            by_topic,
            tally,
            full[run.tag],
            by_run[run.tag],
            alone[run.tag],
            places[run.tag],
            1 + sum(score > alone[run.tag] for tag, score in full.items() if tag != run.tag),
        )
        for run, by_topic, tally in zip(described, holes[1].tolist(), tallies, strict=True)
    ]
    steps = levels_of(documents.best_rank[pooled], relevant[pooled])
    evidence = Evidence(
        {numbers[place]: Counts(int(counts[place]), int(hits[place])) for place in shown.tolist()},
        unjudged[1],
        tau=kendall_tau_b(np.array([*full.values()]), np.array([alone[tag] for tag in full])).value,
        losses={tag: 1 - alone[tag] / full[tag] for tag in full if full[tag]},
        deepest=steps[-1] if steps else None,
    )
    return Quality(
        [numbers[place] for place in shown.tolist()],
        sorted(lines, key=lambda line: line.rank),
        tallied_by(groups, relevant[pooled]),
        tallied_by(kinds, relevant[pooled]),
        saturation_of(campaign),
        steps,
        verdict(evidence),
    )


def described_run(run: Run) -> RunRankings:
    """Return a run without its rankings, which nobody asks for here."""
    return RunRankings(run.tag, {}, run.group, run.kind, run.priority)


def keys_of(campaign: Campaign, documents: PooledColumns) -> IntVector:
    """Return the documents by `pair_keys`; those in no run have numbers that no run knows."""
    table = docno_table(campaign)
    ids = table.find(documents.docno)
    return pair_keys(documents.topic, np.where(ids == UNKNOWN, len(table) + np.arange(len(ids)), ids))


def tallied_by(best: dict[str, IntVector], relevant: Flags) -> dict[str, Contribution]:
    """Return owner -> counts of its contribution."""
    return dict(zip(best, contributions_of(np.stack(list(best.values())), relevant), strict=True))


def reached(campaign: Campaign, runs: list[RunRankings]) -> dict[str, int]:
    """Return how deep the frozen pools read each run that took part in them."""
    deepest = {run.tag: 0 for run in runs}
    for pool in campaign.pools.all():
        taking_part = set(pool.runs.values_list("tag", flat=True))
        read = [run for run in runs if run.tag in taking_part]
        depths = (
            reaches(pool.strategy, read, pool.parameters)
            if pool.strategy in STRATEGIES
            else {run.tag: int(pool.parameters.get("k", 0)) for run in read}
        )
        deepest = {tag: max(depth, depths.get(tag, 0)) for tag, depth in deepest.items()}
    return deepest


def scores_without(
    campaign: Campaign,
    runs: list[Run],
    documents: PooledColumns,
    agreed: AgreedColumns,
    pooled: IntVector,
    brought: Table,
    groups: dict[str, IntVector],
    owners: list[str],
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return tag -> score: on all judgments, and without those of the documents that the run alone brought,
    or its group alone.

    Every score is a mean over the topics that then have a judgment; 0 where none has. pooled: which of the
    documents are the columns of `brought` and `groups`. owners: the group of each run.
    """
    regraded = Regraded(qrels_of_columns(campaign, documents, agreed), docno_table(campaign))
    row_of = np.full(len(documents.pk), -1)
    row_of[agreed.documents] = np.arange(len(agreed.documents))

    def left(alone: Flags) -> QrelsIndex:
        grades, gone = agreed.grades.copy(), row_of[pooled[alone]]
        grades[gone[gone >= 0]] = TAKEN_BACK
        return regraded.index(grades)

    of_group = dict(zip(groups, brought_alone(np.stack(list(groups.values()))), strict=True))
    full, by_group = regraded.index(agreed.grades), {owner: left(alone) for owner, alone in of_group.items()}
    scores: tuple[dict[str, float], dict[str, float], dict[str, float]] = {}, {}, {}
    for run, owner, alone in zip(runs, owners, brought_alone(brought), strict=True):
        found = regraded.found(scored(run.columns), campaign.threshold)
        for named, index in zip(scores, (full, left(alone), by_group[owner]), strict=True):
            named[run.tag] = mean_score(regrade(found, index))
    return scores


def mean_score(hits: Hits) -> float:
    """Return the mean over every topic with a judgment; 0 without any."""
    return float(means_of(values_of(hits, MEASURES)[topics_left(hits.index)], MEASURES)[0])


def ranks_of(scores: Mapping[str, float]) -> dict[str, int]:
    """Return tag -> rank from 1, best first; equal scores share the better rank."""
    return {tag: 1 + sum(other > value for other in scores.values()) for tag, value in scores.items()}

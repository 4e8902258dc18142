"""How reliable the judgments of a campaign are so far: unjudged documents, contributions, saturation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.document_order import POLICIES
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import judging_order
from assess.queries.queues import judging_plan_of
from assess.queries.release_draft import agreed_columns, agreed_version
from metrics.queries.leave_one_out import SoleContributors, leave_one_out_scores
from metrics.rankings.rank_correlation import kendall_tau_b
from metrics.rankings.ranking import ranks
from pooling.arrays import IntVector, Vector
from pooling.checksum import sha256_of
from pooling.formats.docnos import UNKNOWN
from pooling.models import Campaign, Run
from pooling.quality.contribution import (
    NO_OWNER,
    Contribution,
    ContributionTable,
    TopDocuments,
    contribution_table,
    groups_of,
    kinds_of,
    merge_owners,
    postings_in_pool,
    top_documents,
)
from pooling.quality.saturation import DepthLevel, levels_of, saturation_curves
from pooling.quality.verdict import Evidence, QualityVerdict, TopicCounts, verdict
from pooling.queries.runs import ranked_ids
from pooling.strategies.build import reaches
from pooling.strategies.candidates import pair_keys
from pooling.strategies.rankings import RunRankings
from pooling.strategies.registry import STRATEGIES

DEEPEST = 100  # the rank to which contributions of a run are counted
UNJUDGED_CUTOFFS = (5, 10, 20)
NEWCOMER_AT = 10


class RunQuality(NamedTuple):
    """A run: its unjudged documents, its contributions and its leave-one-out scores.

    run: without its rankings. topics: the number of pooled topics for which it has documents; unjudged:
    Unjudged@k for k of LOOKED_AT, means over these topics. by_topic: Unjudged@10, None without documents.
    score: on all judgments, with `rank`. without_run, without_group: without the judgments of documents that
    the run, or its group, contributed alone; rank_without: the rank by the latter.
    """

    run: RunRankings
    topics: int
    unjudged: list[float]
    by_topic: list[float | None]
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
    levels: list[DepthLevel]
    verdict: QualityVerdict


def pool_quality(reads: CampaignReads) -> Quality | None:
    """Return the quality of the judgments so far; None without runs or judgments.

    Grades are those of a release by the campaign's default rule, without labels of machine judges. Cached
    until a label, a run, a pool or the rule changes.
    """
    version = *agreed_version(reads, reads.people_plan), reads.runs_version
    return reads.cached("quality", version, lambda: _pool_quality(reads))


def _pool_quality(reads: CampaignReads) -> Quality | None:
    runs = list(reads.campaign.runs.active())
    documents, agreed = reads.pooled, agreed_columns(reads, reads.people_plan)
    if not runs or not len(agreed.grades):
        return None
    numbers, described = reads.topic_numbers, [described_run(run) for run in runs]
    version = _version_without_labels(reads, runs)
    pools = reads.cached("brought", version, lambda: _contributions(reads, runs))
    pooled, (judged, relevant) = pools.pooled, np.zeros((2, len(documents.pk)), dtype=bool)
    judged[agreed.documents] = True
    relevant[agreed.documents] = agreed.grades >= reads.campaign.threshold
    counts = np.bincount(documents.topic[judged], minlength=len(numbers))
    hits = np.bincount(documents.topic[relevant], minlength=len(numbers))
    shown = np.unique(np.append(documents.topic[pooled], documents.topic[agreed.documents]))
    holes = [pools.tops.unjudged(judged, k)[:, shown] for k in UNJUDGED_CUTOFFS]
    newcomer = pools.tops.unjudged(judged, NEWCOMER_AT, pools.alone.group, pools.alone.group_of_run)[:, shown]
    answered = pools.tops.answered[:, shown]
    counted = answered.sum(axis=1)
    tags = [run.tag for run in runs]
    *unjudged, newcomers = (
        dict(zip(tags, (matrix.sum(axis=1) / np.maximum(counted, 1)).tolist(), strict=True))
        for matrix in (*holes, newcomer)
    )
    by_topic = np.where(answered, holes[UNJUDGED_CUTOFFS.index(NEWCOMER_AT)], np.nan)
    scores = leave_one_out_scores(reads, runs, agreed, pools.alone)
    full, by_run, alone = (dict(zip(tags, row, strict=True)) for row in scores.tolist())
    tallies = pools.runs.contributions(relevant[pooled])
    places = dict(zip(tags, ranks(scores[0]).tolist(), strict=True))
    without_group = dict(zip(tags, ranks_without(scores[0], scores[2]), strict=True))
    lines = [
        RunQuality(
            run,
            int(topics),
            [shares[run.tag] for shares in unjudged],
            [None if np.isnan(share) else share for share in of_topics],
            tally,
            full[run.tag],
            by_run[run.tag],
            alone[run.tag],
            places[run.tag],
            without_group[run.tag],
        )
        for run, topics, of_topics, tally in zip(described, counted, by_topic.tolist(), tallies, strict=True)
    ]
    steps = levels_of(documents.best_rank[pooled], relevant[pooled])
    evidence = Evidence(
        {numbers[index]: TopicCounts(int(counts[index]), int(hits[index])) for index in shown.tolist()},
        unjudged[UNJUDGED_CUTOFFS.index(NEWCOMER_AT)],
        NEWCOMER_AT,
        newcomers,
        tau=kendall_tau_b(np.array([*full.values()]), np.array([alone[tag] for tag in full])).value,
        losses={tag: 1 - alone[tag] / full[tag] for tag in full if full[tag]},
        deepest=steps[-1] if steps else None,
    )
    return Quality(
        [numbers[index] for index in shown.tolist()],
        sorted(lines, key=lambda line: line.rank),
        dict(zip(pools.groups_named, pools.groups.contributions(relevant[pooled]), strict=True)),
        dict(zip(pools.kinds_named, pools.kinds.contributions(relevant[pooled]), strict=True)),
        steps,
        verdict(evidence),
    )


class PoolContributions(NamedTuple):
    """The contributions of the runs to the pools, judged or not.

    pooled: the documents from runs, as rows of `CampaignReads.pooled`: the documents of `runs`, `groups` and
    `kinds`. tops: the top ranks in which unjudged documents are counted; documents are rows of
    `CampaignReads.pooled`.
    """

    pooled: IntVector
    tops: TopDocuments
    runs: ContributionTable
    groups: ContributionTable
    kinds: ContributionTable
    groups_named: list[str]
    kinds_named: list[str]
    alone: SoleContributors


def _version_without_labels(reads: CampaignReads, runs: list[Run]) -> str:
    """Return a version of the data of a report other than labels, for caching."""
    facts = [(run.tag, run.sha256, run.order, run.group, run.kind, run.priority) for run in runs]
    probes, threshold = reads.probes.tolist(), reads.campaign.threshold
    return sha256_of(repr((facts, len(reads.pooled.pk), reads.pool_keys, probes, threshold)))


def _contributions(reads: CampaignReads, runs: list[Run]) -> PoolContributions:
    described, numbers = [described_run(run) for run in runs], reads.topic_numbers
    keys, ranked = document_keys(reads), ranked_ids(runs, numbers)
    pooled = np.flatnonzero(reads.is_to_be_judged & (reads.pooled.best_rank > 0))
    pooled = pooled[np.argsort(keys[pooled])]
    reach = pool_depths(reads.campaign, described)
    finds = postings_in_pool(keys[pooled], ranked, [min(reach[run.tag], DEEPEST) for run in described])
    owners = list(groups_of(described).values())
    groups, in_groups = merge_owners(finds, owners)
    kinds, in_kinds = merge_owners(finds, list(kinds_of(described).values()))
    of_runs, of_groups, of_kinds = (contribution_table(postings) for postings in (finds, in_groups, in_kinds))
    by_run, by_group = (np.full(len(keys), NO_OWNER) for _ in range(2))
    by_run[pooled] = of_runs.owner_alone(len(pooled))
    by_group[pooled] = of_groups.owner_alone(len(pooled))
    alone = SoleContributors(
        by_run, by_group, np.array([groups.index(owner) for owner in owners], dtype=np.int64)
    )
    tops = top_documents(keys, ranked, len(numbers), max(UNJUDGED_CUTOFFS))
    return PoolContributions(pooled, tops, of_runs, of_groups, of_kinds, groups, kinds, alone)


def described_run(run: Run) -> RunRankings:
    """Return a run without its rankings, which are not needed here."""
    return RunRankings(run.tag, {}, run.group, run.kind, run.priority)


def document_keys(reads: CampaignReads) -> IntVector:
    """Return the pooled documents as `pair_keys`; those in no run have numbers that occur in no run."""
    table = reads.docnos
    ids = table.find(reads.pooled.docno)
    return pair_keys(reads.pooled.topic, np.where(ids == UNKNOWN, len(table) + np.arange(len(ids)), ids))


def pool_depths(campaign: Campaign, runs: list[RunRankings]) -> dict[str, int]:
    """Return run -> the depth to which the frozen pools include it."""
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


def ranks_without(full: Vector, alone: Vector) -> list[int]:
    """Return the rank of each run if it has its score in `alone` and the other runs theirs in `full`."""
    scores = np.where(np.eye(len(full), dtype=bool), alone[:, None], full[None, :])
    return [int(own) for own in np.diag(ranks(scores.T))]


class TopicSaturation(NamedTuple):
    """The saturation curve of one topic.

    topics: those with a judgment. topic: the one that is shown. by_depth: whether the documents are in the
    order of pool depth; otherwise they are in the order in which they were judged.
    """

    topics: list[str]
    topic: str
    curve: IntVector
    by_depth: bool


def saturation_by_topic(reads: CampaignReads) -> dict[str, IntVector]:
    """Return topic -> curve of a campaign's judgments; cached until a label changes them.

    Relevant documents are those that are relevant in a release by the campaign's default rule, without labels
    of machine judges. Their order is that of judging if it puts the most promising documents first. Otherwise
    a curve would be a straight line whatever the judgments are, so the order is that of pool depth: by best
    rank in any run.
    """
    by_depth = not _promising_first(reads)
    version = *agreed_version(reads, reads.people_plan), by_depth
    return reads.cached("saturation-by-topic", version, lambda: _saturation(reads, by_depth))


def _saturation(reads: CampaignReads, by_depth: bool) -> dict[str, IntVector]:
    agreed, documents = agreed_columns(reads, reads.people_plan), reads.pooled
    relevant = np.zeros(len(documents.pk), dtype=bool)
    relevant[agreed.documents] = agreed.grades >= reads.campaign.threshold
    order = judging_order(reads)
    if by_depth:
        ranks_of_order = documents.best_rank[order]
        in_no_run = ranks_of_order == 0  # these come last
        order = order[np.lexsort((ranks_of_order, in_no_run))]
    return saturation_curves(documents.topic[order], relevant[order], reads.topic_numbers)


def topic_saturation(
    reads: CampaignReads, curves: dict[str, IntVector], topic: str
) -> TopicSaturation | None:
    """Return the curve of one topic, or of the first judged topic if `topic` has no judgment.

    None without a judgment.
    """
    topics = [number for number in reads.topic_numbers if number in curves]
    if not topics:
        return None
    topic = topic if topic in topics else topics[0]
    return TopicSaturation(topics, topic, curves[topic], not _promising_first(reads))


def _promising_first(reads: CampaignReads) -> bool:
    live = any(STRATEGIES[pool.strategy].live for pool in reads.pools if pool.strategy in STRATEGIES)
    return live or POLICIES[judging_plan_of(reads.campaign).order].reads_places

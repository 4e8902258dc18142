"""What the judgments of a campaign can carry so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isnan
from typing import NamedTuple

from assess.consensus import MAJORITY
from assess.models import AdjudicationEvent
from assess.queries import agreed_grades, kept, stamp_of, to_judge_in
from metrics.evaluate import score
from metrics.queries.saturation import saturation_of
from metrics.queries.scores import scored
from metrics.registry import parse_measure
from metrics.stored import NumberedIndex, find_stored_hits
from pooling.models import Campaign, Run
from pooling.qrels import parse_qrels
from pooling.quality import (
    Contribution,
    Contributions,
    Counts,
    Evidence,
    Level,
    Saturation,
    Verdict,
    by_owner,
    contributions,
    groups_of,
    kinds_of,
    leave_one_out,
    levels,
    mean_unjudged,
    tallied,
    unjudged_at,
    verdict,
)
from pooling.queries import docno_table, ranked_runs
from pooling.strategies import STRATEGIES, Found, Pooled, RunRankings, reaches

LOOKED_AT = (5, 10, 20)
QUALITY_MEASURE = "AP"


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

    Kept until a label, a decision of an adjudicator, a run or a pool changes it.
    """
    settled = AdjudicationEvent.objects.order_by("-pk").values_list("pk", flat=True).first()  # anywhere
    told = f"{stamp_of(campaign)}-{settled}-{campaign.runs.count()}-{campaign.pools.count()}"
    return kept(campaign, "quality", told, lambda: _pool_quality(campaign))


def _pool_quality(campaign: Campaign) -> Quality | None:
    runs = list(campaign.runs.select_related("columns"))
    agreed = agreed_grades(campaign, MAJORITY)
    if not runs or not agreed:
        return None
    grades = {(row.topic, row.docno): row.relevance for row in agreed}
    relevant = {pair for pair, grade in grades.items() if grade >= campaign.threshold}
    pooled = found_by_pools(campaign)
    ranked = ranked_runs(campaign, runs, 100)
    brought = contributions(pooled, ranked, reached(campaign, ranked))
    owners = groups_of(ranked)
    groups = by_owner(brought, owners)
    judged = {topic: set[str]() for topic in pooled} | by_topic_of(grades)
    holes = [unjudged_at(ranked, judged, k) for k in LOOKED_AT]
    unjudged = [mean_unjudged(each) for each in holes]
    full = score_runs(campaign, runs, grades)
    by_run = scores_without(campaign, runs, grades, full, brought, {run.tag: run.tag for run in ranked})
    alone = scores_without(campaign, runs, grades, full, groups, owners)
    topics = [number for number in campaign.topics.values_list("number", flat=True) if number in judged]
    tallies, places = tallied(brought, relevant), ranks_of(full)
    lines = [
        RunQuality(
            replace(run, rankings={}, scores={}),
            [shares[run.tag] for shares in unjudged],
            [holes[1][run.tag][topic] for topic in topics],
            tallies[run.tag],
            full[run.tag],
            by_run[run.tag],
            alone[run.tag],
            places[run.tag],
            ranks_of(full | {run.tag: alone[run.tag]})[run.tag],
        )
        for run in ranked
    ]
    steps = levels(pooled, by_topic_of(relevant))
    evidence = Evidence(
        {
            topic: Counts(len(docnos), sum((topic, d) in relevant for d in docnos))
            for topic, docnos in judged.items()
        },
        unjudged[1],
        tau=kendall(list(full.values()), [alone[tag] for tag in full]),
        losses={tag: 1 - alone[tag] / full[tag] for tag in full if full[tag]},
        deepest=steps[-1] if steps else None,
    )
    return Quality(
        topics,
        sorted(lines, key=lambda line: line.rank),
        tallied(groups, relevant),
        tallied(by_owner(brought, kinds_of(ranked)), relevant),
        saturation_of(campaign, relevant),
        steps,
        verdict(evidence),
    )


def by_topic_of(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    topics: dict[str, set[str]] = {}
    for topic, docno in pairs:
        topics.setdefault(topic, set()).add(docno)
    return topics


def found_by_pools(campaign: Campaign) -> Pooled:
    """Return every document that a frozen pool took from runs, with its best rank."""
    pooled: Pooled = {}
    rows = to_judge_in(campaign).filter(best_rank__isnull=False)
    for topic, docno, rank, count in rows.values_list("topic__number", "docno", "best_rank", "run_count"):
        pooled.setdefault(topic, {})[docno] = Found(rank, count)
    return pooled


def reached(campaign: Campaign, ranked: list[RunRankings]) -> dict[str, int]:
    """Return how deep the frozen pools read each run that took part in them."""
    deepest = {run.tag: 0 for run in ranked}
    for pool in campaign.pools.prefetch_related("runs"):
        taking_part = {run.tag for run in pool.runs.all()}
        read = [run for run in ranked if run.tag in taking_part]
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
    grades: dict[tuple[str, str], int],
    full: dict[str, float],
    brought: Contributions,
    owners: Mapping[str, str],
) -> dict[str, float]:
    """Return tag -> score without the judgments of documents that the run's owner alone brought."""
    scores = dict(full)
    for owner, left in leave_one_out(grades, brought):
        if len(left) < len(grades):
            scores |= score_runs(campaign, [run for run in runs if owners[run.tag] == owner], left)
    return scores


def score_runs(
    campaign: Campaign, runs: list[Run], grades: Mapping[tuple[str, str], int]
) -> dict[str, float]:
    """Return tag -> the mean over every topic with a judgment; 0 where nothing is judged."""
    if not grades:
        return {run.tag: 0.0 for run in runs}
    lines = "".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in grades.items())
    index = NumberedIndex(parse_qrels(lines.encode()), docno_table(campaign))
    measures = [parse_measure(QUALITY_MEASURE)]
    return {
        run.tag: float(
            score(find_stored_hits(scored(run.columns), index, campaign.threshold), measures).means[0]
        )
        for run in runs
    }


def ranks_of(scores: Mapping[str, float]) -> dict[str, int]:
    """Return tag -> rank from 1, best first; equal scores share the better rank."""
    return {tag: 1 + sum(other > value for other in scores.values()) for tag, value in scores.items()}


def kendall(first: list[float], second: list[float]) -> float | None:
    """Return Kendall's tau-b of two lists of scores; None where it is undefined."""
    from scipy.stats import kendalltau  # 40 MB in every web process, for this page alone

    tau = float(kendalltau(first, second).statistic) if len(first) > 1 else float("nan")
    return None if isnan(tau) else tau

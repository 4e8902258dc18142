"""What the judgments of a campaign can carry so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.core.cache import cache

from assess.queries import kept, stamp_of
from assess.queries.keeping import HOUR
from assess.queries.pooled_columns import (
    AgreedColumns,
    PooledColumns,
    agreed_columns,
    pooled_columns,
    to_judge_columns,
)
from metrics.evaluate import Values, means_of, values_of
from metrics.index import QrelsIndex
from metrics.queries.agreed import qrels_of_columns
from metrics.queries.saturation import saturation_of
from metrics.queries.scores import scored
from metrics.rank_correlation import kendall_tau_b
from metrics.registry import parse_measure
from metrics.regraded import TAKEN_BACK, Regraded, regrade, topics_left
from pooling.checksum import sha256_of
from pooling.columns import IntVector
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
    Brought,
    best_of_owners,
    brought_in,
    ranks_brought,
    unjudged_of_runs,
)
from pooling.quality.saturation import levels_of
from pooling.queries import docno_table
from pooling.queries.runs import numbered
from pooling.strategies import STRATEGIES, RunRankings, reaches
from pooling.strategies.candidates import pair_keys
from pooling.strategies.columns import RankedIds

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
    numbers = numbers_of(campaign)
    ranked, described = numbered(runs, numbers), [described_run(run) for run in runs]
    stamp = _unlabelled(campaign, runs, documents)
    field = kept(campaign, "brought", stamp, lambda: _field(campaign, described, ranked, documents))
    keys, pooled = field.keys, field.pooled
    judged, relevant = (np.zeros(len(keys), dtype=bool) for _ in range(2))
    judged[agreed.documents] = True
    relevant[agreed.documents] = agreed.grades >= campaign.threshold
    counts = np.bincount(documents.topic[judged], minlength=len(numbers))
    hits = np.bincount(documents.topic[relevant], minlength=len(numbers))
    shown = np.unique(np.append(documents.topic[pooled], documents.topic[agreed.documents]))
    known = np.sort(keys[judged])
    holes = [unjudged_of_runs(known, ranked, len(numbers), k)[:, shown] for k in LOOKED_AT]
    tags = [run.tag for run in runs]
    unjudged = [dict(zip(tags, each.mean(axis=1).tolist(), strict=True)) for each in holes]
    full, by_run, alone = scores_without(campaign, stamp, runs, documents, agreed, field)
    tallies, places = field.runs.contributions(relevant[pooled]), ranks_of(full)
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
        dict(zip(field.groups_named, field.groups.contributions(relevant[pooled]), strict=True)),
        dict(zip(field.kinds_named, field.kinds.contributions(relevant[pooled]), strict=True)),
        saturation_of(campaign),
        steps,
        verdict(evidence),
    )


class Field(NamedTuple):
    """What the runs brought to the pools, whatever is judged.

    keys: of every document in `pooled_columns`, see `keys_of`. pooled: those that runs brought, as places
    there, by key: the documents of `runs`, `groups` and `kinds`.
    """

    keys: IntVector
    pooled: IntVector
    runs: Brought
    groups: Brought
    kinds: Brought
    groups_named: list[str]
    kinds_named: list[str]


def _unlabelled(campaign: Campaign, runs: list[Run], documents: PooledColumns) -> str:
    """Return what changes whenever anything changes that a report is made of, besides labels."""
    told = [(run.tag, run.sha256, run.group, run.kind, run.priority) for run in runs]
    probes = documents.pk[~to_judge_columns(campaign)].tolist()
    return sha256_of(repr((told, len(documents.pk), campaign.pools.count(), probes, campaign.threshold)))


def _field(
    campaign: Campaign, described: list[RunRankings], ranked: Sequence[RankedIds], documents: PooledColumns
) -> Field:
    keys = keys_of(campaign, documents)
    pooled = np.flatnonzero(to_judge_columns(campaign) & (documents.best_rank > 0))
    pooled = pooled[np.argsort(keys[pooled])]
    reach = reached(campaign, described)
    finds = ranks_brought(keys[pooled], ranked, [min(reach[run.tag], DEEPEST) for run in described])
    groups, in_groups = best_of_owners(finds, list(groups_of(described).values()))
    kinds, in_kinds = best_of_owners(finds, list(kinds_of(described).values()))
    of_runs, of_groups, of_kinds = (brought_in(each) for each in (finds, in_groups, in_kinds))
    return Field(keys, pooled, of_runs, of_groups, of_kinds, groups, kinds)


def described_run(run: Run) -> RunRankings:
    """Return a run without its rankings, which nobody asks for here."""
    return RunRankings(run.tag, {}, run.group, run.kind, run.priority)


def keys_of(campaign: Campaign, documents: PooledColumns) -> IntVector:
    """Return the documents by `pair_keys`; those in no run have numbers that no run knows."""
    table = docno_table(campaign)
    ids = table.find(documents.docno)
    return pair_keys(documents.topic, np.where(ids == UNKNOWN, len(table) + np.arange(len(ids)), ids))


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


Scores = dict[str, float]


def scores_without(
    campaign: Campaign,
    stamp: str,
    runs: list[Run],
    documents: PooledColumns,
    agreed: AgreedColumns,
    field: Field,
) -> tuple[Scores, Scores, Scores]:
    """Return tag -> score: on all judgments, and without those of the documents that the run alone brought,
    or its group alone.

    Every score is a mean over the topics that then have a judgment; 0 where none has. Values are kept by
    topic: a label changes those of its own alone. stamp: of everything but labels.
    """
    topic_of_rows = documents.topic[agreed.documents]
    topics, starts = np.unique(topic_of_rows, return_index=True)
    parts = np.split(np.arange(len(topic_of_rows)), starts[1:])
    stamps = {
        topic: stamp + sha256_of(agreed.documents[rows].tobytes() + agreed.grades[rows].tobytes())
        for topic, rows in zip(topics.tolist(), parts, strict=True)
    }
    key = f"scores-without-{campaign.pk}"
    before: dict[int, tuple[str, Values]] = cache.get(key) or {}
    now = {topic: before[topic] for topic in stamps if topic in before and before[topic][0] == stamps[topic]}
    if stale := [topic for topic in stamps if topic not in now]:
        some = AgreedColumns._make(column[np.isin(topic_of_rows, stale)] for column in agreed)
        anew = values_without(campaign, runs, documents, some, field)
        now |= {topic: (stamps[topic], values) for topic, values in anew.items()}
        cache.set(key, now, HOUR)
    return means_without(campaign, runs, {topic: values for topic, (_, values) in now.items()})


def values_without(
    campaign: Campaign, runs: list[Run], documents: PooledColumns, agreed: AgreedColumns, field: Field
) -> dict[int, Values]:
    """Return topic -> what each of the three scores is a mean of, by run; nan where no judgment is left.

    Topics are places in the campaign; each has values of shape (3, runs).
    """
    regraded = Regraded(qrels_of_columns(campaign, documents, agreed), docno_table(campaign))
    row_of = np.full(len(documents.pk), -1)
    row_of[agreed.documents] = np.arange(len(agreed.documents))

    def left(alone: npt.NDArray[np.int32]) -> QrelsIndex:
        grades, gone = agreed.grades.copy(), row_of[field.pooled[alone]]
        grades[gone[gone >= 0]] = TAKEN_BACK
        return regraded.index(grades)

    full, of_groups = regraded.index(agreed.grades), field.groups.documents_alone()
    by_group = {group: left(alone) for group, alone in zip(field.groups_named, of_groups, strict=True)}
    owners = groups_of([described_run(run) for run in runs])
    values = np.empty((len(full.topics), 3, len(runs)))
    for row, (run, alone) in enumerate(zip(runs, field.runs.documents_alone(), strict=True)):
        found = regraded.found(scored(run.columns), campaign.threshold)
        for place, index in enumerate((full, left(alone), by_group[owners[run.tag]])):
            (column,) = values_of(regrade(found, index), MEASURES).T
            values[:, place, row] = np.where(topics_left(index), column, np.nan)
    place_of = {number: place for place, number in enumerate(numbers_of(campaign))}
    return {place_of[topic]: own for topic, own in zip(full.topics, values, strict=True)}


def means_without(
    campaign: Campaign, runs: list[Run], by_topic: dict[int, Values]
) -> tuple[Scores, Scores, Scores]:
    """Return the scores of `scores_without` from what `values_without` returns of every topic."""
    numbers = numbers_of(campaign)
    in_order = sorted(by_topic, key=lambda topic: numbers[topic].encode())  # as an index sorts them
    scores: tuple[Scores, Scores, Scores] = {}, {}, {}
    for place, named in enumerate(scores):
        values = np.array([by_topic[topic][place] for topic in in_order])
        for run, column in zip(runs, values.T, strict=True):
            left = column[~np.isnan(column), None]
            named[run.tag] = float(means_of(left, MEASURES)[0])
    return scores


def numbers_of(campaign: Campaign) -> list[str]:
    return list(campaign.topics.values_list("number", flat=True))


def ranks_of(scores: Mapping[str, float]) -> dict[str, int]:
    """Return tag -> rank from 1, best first; equal scores share the better rank."""
    return {tag: 1 + sum(other > value for other in scores.values()) for tag, value in scores.items()}

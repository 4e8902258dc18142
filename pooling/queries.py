"""The reads of the ground floor that need a name."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from itertools import pairwise
from statistics import fmean
from threading import RLock
from typing import NamedTuple

import numpy as np
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import User
from pooling.columns import Docnos, Flags, IntVector
from pooling.docnos import UNKNOWN, DocnoTable
from pooling.manifest import Plan
from pooling.models import Campaign, Document, Membership, PooledDocument, Role, Run, RunQuerySet, Topic
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
from pooling.stored import Ids, StoredColumns, unpack_columns
from pooling.strategies import STRATEGIES, RunRankings, depth_pool, strategy_of, without
from pooling.strategies.columns import PoolColumns, RankedIds, depth_columns

TABLES: dict[int, tuple[DocnoTable, tuple[int, str]]] = {}  # campaign -> docnos, the last block that was read
TABLES_LOCK = RLock()
COLLECTIONS: dict[int, tuple[DocnoTable, int]] = {}  # campaign -> docnos of its documents, how many
RANKED: dict[tuple[int, str, int], tuple[dict[str, list[str]], dict[str, list[float]]]] = {}
NUMBERED: dict[tuple[int, str], tuple[tuple[str, ...], IntVector, Ids]] = {}
RUNS_KEPT = 200  # in each of these, in this process


def campaign_or_404(user: User, slug: str, *roles: Role) -> Campaign:
    """Return the campaign if this person is a member with one of `roles` (any role when none is given).

    The one door: an outsider gets 404, so that not even the name leaks; a member in another role gets 403.
    An organiser passes everywhere.
    """
    campaign = get_object_or_404(Campaign.objects.of(user), slug=slug)
    campaign.my_roles = frozenset(campaign.memberships.filter(user=user).values_list("role", flat=True))
    if roles and not campaign.my_roles & {Role.ORGANISER, *roles}:
        raise PermissionDenied(f"This page is for the {' or '.join(role.label.lower() for role in roles)}.")
    return campaign


def campaigns_with_roles(user: User) -> list[tuple[Campaign, list[str]]]:
    """Return this person's campaigns, newest first, each with the names of their roles in it."""
    roles: dict[Campaign, list[str]] = {}
    memberships = Membership.objects.filter(user=user).select_related("campaign")
    for membership in memberships.order_by("-campaign__created_at", "role"):
        roles.setdefault(membership.campaign, []).append(membership.get_role_display())
    return list(roles.items())


def group_of(user: User, campaign: Campaign) -> str:
    """Return the group that this person submits for; empty for everybody else."""
    membership = campaign.memberships.filter(user=user, role=Role.PARTICIPANT).first()
    return membership.group if membership else ""


def runs_seen_by(user: User, campaign: Campaign) -> RunQuerySet:
    """Return every run for those who run or read the campaign, and their group's alone for participants."""
    if campaign.my_roles - {Role.PARTICIPANT, Role.JUDGE}:
        return campaign.runs.all()
    groups = campaign.memberships.filter(user=user, role=Role.PARTICIPANT).values("group")
    return campaign.runs.filter(group__in=groups)


def docno_table(campaign: Campaign) -> DocnoTable:
    """Return the campaign's dictionary of docnos.

    Kept in this process and brought up to date block by block: what is known is not read again, unless the
    last block is no longer the one that was read (its transaction was rolled back).
    """
    with TABLES_LOCK:
        table, last = TABLES.get(campaign.pk) or (DocnoTable(), None)
        blocks = campaign.docno_blocks.filter(start__gte=last[0] if last else 0)
        found = list(blocks.values_list("start", "checksum"))
        if last and found[:1] != [last]:
            del TABLES[campaign.pk]
            return docno_table(campaign)
        for block in blocks.filter(start__gte=len(table)):
            table.add(np.array(zlib.decompress(block.docnos).split(b"\n")))
        if found:
            TABLES[campaign.pk] = table, found[-1]
        return table


def in_collection(campaign: Campaign) -> Callable[[Docnos], Flags] | None:
    """Return what tells of docnos whether the collection holds them; None where it is not all known.

    It is known when as many documents are kept as the campaign says there are.
    """
    size = campaign.collection_size
    if not size or campaign.documents.count() < size:
        return None
    table, count = COLLECTIONS.get(campaign.pk, (DocnoTable(), 0))
    if count != size:
        held = [docno.encode() for docno in campaign.documents.values_list("docno", flat=True)]
        table, count = DocnoTable(np.array(held)), size
        COLLECTIONS[campaign.pk] = table, count
    return lambda docnos: table.find(docnos) != UNKNOWN


def stored(run: Run) -> StoredColumns:
    """Return the columns of a stored run."""
    blobs = run.columns
    return unpack_columns(*map(bytes, (blobs.topics, blobs.offsets, blobs.ids, blobs.scores, blobs.scoring)))


def ranked_runs(campaign: Campaign, runs: Iterable[Run], deepest: int) -> list[RunRankings]:
    """Return what runs returned for each topic to a rank, in pooling order, with their scores.

    Kept for the next call: runs never change, and an organiser who moves a control asks again at once.
    """
    names = docno_table(campaign).docnos()
    return [_ranked(run, deepest, names) for run in runs]


def _ranked(run: Run, deepest: int, names: Docnos) -> RunRankings:
    key = (run.pk, run.sha256, deepest)
    if key not in RANKED:
        columns = stored(run)
        bounds = columns.offsets.tolist()
        cuts = [(start, min(end, start + deepest)) for start, end in pairwise(bounds)]
        docnos = {
            topic: [docno.decode() for docno in names[columns.ids[start:end]].tolist()]
            for topic, (start, end) in zip(columns.topics, cuts, strict=True)
        }
        scores = {
            topic: columns.scores[start:end].tolist()
            for topic, (start, end) in zip(columns.topics, cuts, strict=True)
        }
        while len(RANKED) >= RUNS_KEPT:
            RANKED.pop(next(iter(RANKED)), None)
        RANKED[key] = (docnos, scores)
    docnos, scores = RANKED[key]
    return RunRankings(run.tag, docnos, run.group, run.kind, run.priority, scores)


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


def ranked_ids(run: Run, topics: list[Topic]) -> RankedIds:
    """Return a run's document numbers, topics by their place in `topics`; kept for the next call."""
    key = (run.pk, run.sha256)
    if key not in NUMBERED:
        while len(NUMBERED) >= RUNS_KEPT:
            NUMBERED.pop(next(iter(NUMBERED)), None)
        columns = stored(run)
        NUMBERED[key] = (columns.topics, columns.offsets, columns.ids)
    names, offsets, ids = NUMBERED[key]
    places = {topic.number: place for place, topic in enumerate(topics)}
    return RankedIds(np.array([places[name] for name in names]), offsets, ids)


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


def pooled_before(campaign: Campaign) -> dict[str, set[str]]:
    """Return topic -> docnos of every pool so far."""
    before: dict[str, set[str]] = {}
    for topic, docno in pooled_in(campaign).values_list("topic__number", "docno"):
        before.setdefault(topic, set()).add(docno)
    return before


def topics_with_pool_sizes(campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics with `pool_size`, the number of documents pooled so far."""
    return campaign.topics.annotate(pool_size=Count("pooled"))


def pooled_in(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return every pooled document of the campaign, over all its pools."""
    return PooledDocument.objects.filter(pool__campaign=campaign)


def docnos_without_text(campaign: Campaign) -> list[str]:
    """Return the pooled docnos for which no document was loaded, sorted."""
    loaded = campaign.documents.values("docno")
    return sorted(set(pooled_in(campaign).exclude(docno__in=loaded).values_list("docno", flat=True)))


def document_counts(campaign: Campaign) -> dict[str, int]:
    """Return how many documents are kept and how many distinct ones are pooled."""
    return {
        "kept": campaign.documents.count(),
        "pooled": pooled_in(campaign).values("docno").distinct().count(),
    }


def document_of(pooled: PooledDocument) -> Document | None:
    """Return the text that belongs to a pooled document, if it was loaded."""
    return Document.objects.filter(campaign=pooled.pool.campaign_id, docno=pooled.docno).first()

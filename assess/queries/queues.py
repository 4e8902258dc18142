"""What decides on a judge's queue: the plan, the overlap, what a live order has seen so far."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from django.db.models import QuerySet

from accounts.models import User
from assess.dealing import Held
from assess.models import Assignment, JudgingPlan, Judgment, JudgmentEvent, QueueEntry
from assess.overlap import share_of, stratified
from assess.queries.probes import no_probe
from assess.terms import Term, topic_terms
from pooling.manifest import plan_of as pool_plan_of
from pooling.models import Campaign, Pool, PooledDocument, Topic
from pooling.queries.runs import ranked_runs
from pooling.refusals import Refused
from pooling.strategies.live import LiveOrder
from pooling.strategies.pools import order_of, reaches
from pooling.strategies.registry import strategy_of


def plan_of(campaign: Campaign) -> JudgingPlan:
    """Return the plan of the campaign, or the default plan. Read once for each campaign object."""
    try:
        return campaign.judging_plan
    except JudgingPlan.DoesNotExist:
        return JudgingPlan(campaign=campaign)


def has_begun(campaign: Campaign) -> bool:
    """Whether anybody has labelled from a queue here; labels that were made elsewhere have no order."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign)
    return events.exclude(source="import").exists()


def terms_of(topic: Topic) -> list[Term]:
    """Return what is marked in the documents of a topic; nothing where the campaign has switched that off."""
    return topic_terms(topic.title) if plan_of(topic.campaign).highlighting else []


def is_live(pool: Pool) -> bool:
    """Whether labels choose what is judged next; a pool from elsewhere has no such order."""
    try:
        return strategy_of(pool.strategy).live
    except Refused:
        return False


def is_live_for(judge: User, topic: Topic) -> bool:
    """Whether labels choose what this judge gets next of a topic."""
    return any(is_live(assignment.pool) for assignment in assignments_of(judge, topic))


def assignments_of(judge: User, topic: Topic) -> list[Assignment]:
    """Return a judge's assignments on a topic, each with its pool but for the manifest: that may be long."""
    assignments = Assignment.objects.filter(judge=judge, topic=topic).select_related("pool")
    return list(assignments.defer("pool__manifest", "pool__parameters").order_by("pool"))


def held_topics(topics: Collection[Topic]) -> dict[str, Held]:
    """Return topic number -> who has it, in which part, in any pool."""
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    assignments = Assignment.objects.filter(topic__in=topics).order_by("assigned_at", "pk")
    for number, judge, part in assignments.values_list("topic__number", "judge__username", "part"):
        first, second = found.setdefault(number, ({}, {}))
        (second if part == Assignment.Part.SECOND else first)[judge] = None
    return {number: Held(list(first), list(second)) for number, (first, second) in found.items()}


def may_grow(judge: User, topic: Topic) -> bool:
    """Whether the judge's queue can still grow: by what others leave, by labels, by a new pool."""
    assignments = assignments_of(judge, topic)
    if any(a.part != Assignment.Part.PRIMARY or is_live(a.pool) for a in assignments):
        return True
    pooled = PooledDocument.objects.filter(no_probe("pk"), topic=topic, pool__assignments__in=assignments)
    return pooled.exclude(queued__judge=judge).exists()


def overlap_of(assignment: Assignment, plan: JudgingPlan) -> set[str]:
    """Return the docnos that a second judge gets of a topic in a pool, as far as it is certain by now."""
    pooled = PooledDocument.objects.filter(no_probe("pk"), topic=assignment.topic_id, pool=assignment.pool_id)
    docnos = set(pooled.values_list("docno", flat=True))
    mine = QueueEntry.objects.filter(judge=assignment.judge_id, topic=assignment.topic_id)
    kept = mine.filter(pooled__pool=assignment.pool_id, kind=QueueEntry.Kind.JUDGING)
    given = set(kept.exclude(state=QueueEntry.State.AWAY).values_list("pooled__docno", flat=True))
    topic = assignment.topic.number
    if plan.overlap == "share":
        return share_of(docnos, plan.overlap_share / 100, topic, plan.seed, given)
    if plan.overlap == "all":
        return docnos
    threshold = assignment.topic.campaign.threshold
    labels = _first_hand(assignment).values_list("pooled__docno", "relevance")
    refused = {docno for docno, relevance in labels if relevance is None}
    strata = {docno: relevance >= threshold for docno, relevance in labels if relevance is not None}
    left = docnos - strata.keys() - refused
    return stratified(strata, left, plan.overlap_count, topic, plan.seed, given)


def _first_hand(assignment: Assignment) -> QuerySet[Judgment]:
    """Return the labels on an assignment's documents by all but its second judges."""
    seconds = Assignment.objects.filter(
        topic=assignment.topic_id, pool=assignment.pool_id, part=Assignment.Part.SECOND
    )
    labels = Judgment.objects.filter(pooled__topic=assignment.topic_id, pooled__pool=assignment.pool_id)
    return labels.exclude(judge__in=seconds.values("judge"))


def live_state(assignment: Assignment) -> tuple[LiveOrder, dict[str, bool], set[str]]:
    """Return the live order of a topic, its labels so far, and what is on a desk or cannot be judged.

    Judges who share the topic share the order; everybody else has it to themselves.
    """
    labels = Judgment.objects.filter(pooled__topic=assignment.topic_id, pooled__pool=assignment.pool_id)
    desks = QueueEntry.objects.filter(
        topic=assignment.topic_id, pooled__pool=assignment.pool_id, state=QueueEntry.State.OPEN
    )
    if assignment.part == Assignment.Part.SHARED:
        labels = _first_hand(assignment)
    else:
        labels, desks = labels.filter(judge=assignment.judge_id), desks.filter(judge=assignment.judge_id)
    threshold = assignment.topic.campaign.threshold
    known = dict(labels.values_list("pooled__docno", "relevance"))
    passed = set(desks.values_list("pooled__docno", flat=True))
    passed |= {docno for docno, relevance in known.items() if relevance is None}
    relevant = {docno: grade >= threshold for docno, grade in known.items() if grade is not None}
    return live_order(assignment.pool_id, assignment.topic.number), relevant, passed - relevant.keys()


@lru_cache(maxsize=256)
def live_order(pool_pk: int, topic: str) -> LiveOrder:
    """Return how a topic is judged in a pool with a live strategy. Both are frozen, so it is made once."""
    pool = Pool.objects.get(pk=pool_pk)
    plan = pool_plan_of(pool.manifest)
    runs = list(pool.runs.select_related("columns"))
    deepest = max(reaches(plan.strategy, runs, plan.parameters).values(), default=0)
    ranked = ranked_runs(pool.campaign, runs, deepest, topic)
    return order_of(plan.strategy, ranked, topic, plan.parameters, plan.seed, plan.ties)


def current_refusals(events: QuerySet[JudgmentEvent]) -> list[Judgment]:
    """Return the current labels of these events that say *cannot judge*, locked for the transaction."""
    judgments = Judgment.objects.filter(event__in=events, relevance__isnull=True)
    return list(
        judgments.select_for_update(of=["self"]).select_related("event", "pooled__pool__campaign", "judge")
    )

"""What a judge's queue depends on: the plan, the overlap, and the state of a live order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from assess.allocation import TopicJudges
from assess.document.highlighting import Term, topic_terms
from assess.double_judging import shared_sample, stratified_sample
from assess.models import Assignment, JudgingPlan, Judgment, JudgmentEvent, OwnTerms, QueueEntry
from assess.queries.sources import of_people
from assess.queries.withheld import to_be_queued
from pooling.manifest import PoolPlan, pool_plan_of
from pooling.models import Campaign, Pool, PooledDocument, Topic
from pooling.queries.caching import cached
from pooling.queries.runs import ranked_runs
from pooling.refusals import Refused
from pooling.strategies.build import order_of, reaches
from pooling.strategies.live_orders import LiveOrder
from pooling.strategies.rankings import RunRankings
from pooling.strategies.registry import strategy_of


def judging_plan_of(campaign: Campaign) -> JudgingPlan:
    """Return the campaign's judging plan, or the default plan. Read once for each campaign object."""
    try:
        return campaign.judging_plan
    except JudgingPlan.DoesNotExist:
        return JudgingPlan(campaign=campaign)


def has_begun(campaign: Campaign) -> bool:
    """Return whether a judge has labelled from a queue here; imported labels have no order."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign)
    return events.exclude(source="import").exists()


def highlighted_terms(topic: Topic) -> list[Term]:
    """Return the terms to highlight in a topic's documents; none if the campaign has no highlighting."""
    if not judging_plan_of(topic.campaign).highlighting:
        return []
    return topic_terms(topic.title, more=topic.terms.splitlines())


def own_terms_of(judge: User, topic: Topic) -> list[str]:
    """Return the words and phrases that a judge added to the highlighted terms of a topic."""
    own = OwnTerms.objects.filter(judge=judge, topic=topic).first()
    return list(own.terms) if own else []


def is_live(pool: Pool) -> bool:
    """Return whether labels decide what is judged next; imported pools have no such order."""
    try:
        return strategy_of(pool.strategy).live
    except Refused:
        return False


def grows_live(assignment: Assignment) -> bool:
    """Return whether labels decide what the judge of an assignment gets next; a sample is fixed."""
    return assignment.part != Assignment.Part.AUDIT and is_live(assignment.pool)


def assignments_of(judge: User, topic: Topic) -> list[Assignment]:
    """Return a judge's assignments on a topic with their pools, without the long manifests."""
    assignments = Assignment.objects.filter(judge=judge, topic=topic).select_related("pool")
    return list(assignments.defer("pool__manifest", "pool__parameters").order_by("pool"))


def judges_by_topic(topics: Collection[Topic]) -> dict[str, TopicJudges]:
    """Return topic number -> its judges by part, in any pool, without those of samples."""
    judges: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    assignments = Assignment.objects.filter(topic__in=topics).exclude(part=Assignment.Part.AUDIT)
    assignments = assignments.order_by("assigned_at", "pk")
    for number, judge, part in assignments.values_list("topic__number", "judge__username", "part"):
        first, second = judges.setdefault(number, ({}, {}))
        (second if part == Assignment.Part.SECOND else first)[judge] = None
    return {number: TopicJudges(list(first), list(second)) for number, (first, second) in judges.items()}


def can_grow(judge: User, topic: Topic, assignments: Sequence[Assignment] | None = None) -> bool:
    """Return whether the judge's queue can grow: shared topic, overlap, live order or new pool.

    assignments: those of the judge on the topic, if they are known.
    """
    assignments = assignments_of(judge, topic) if assignments is None else assignments
    assignments = [each for each in assignments if each.part != Assignment.Part.AUDIT]
    if any(a.part != Assignment.Part.PRIMARY or is_live(a.pool) for a in assignments):
        return True
    pooled = PooledDocument.objects.filter(to_be_queued(), topic=topic, pool__assignments__in=assignments)
    return pooled.exclude(queued__judge=judge).exists()


def overlap_docnos(assignment: Assignment, plan: JudgingPlan) -> set[str]:
    """Return the docnos that a second judge gets of a topic in a pool, as far as they are certain now."""
    pooled = PooledDocument.objects.filter(to_be_queued(), topic=assignment.topic_id, pool=assignment.pool_id)
    docnos = set(pooled.values_list("docno", flat=True))
    mine = QueueEntry.objects.filter(judge=assignment.judge_id, topic=assignment.topic_id)
    entries = mine.filter(pooled__pool=assignment.pool_id, kind=QueueEntry.Kind.JUDGING)
    given = set(entries.exclude(state=QueueEntry.State.AWAY).values_list("pooled__docno", flat=True))
    topic = assignment.topic.number
    if plan.overlap == "share":
        return shared_sample(docnos, plan.overlap_share / 100, topic, plan.seed, given)
    if plan.overlap == "all":
        return docnos
    threshold = assignment.topic.campaign.threshold
    labels = _first_hand(assignment).values_list("pooled__docno", "relevance")
    refused = {docno for docno, relevance in labels if relevance is None}
    strata = {docno: relevance >= threshold for docno, relevance in labels if relevance is not None}
    left = docnos - strata.keys() - refused
    return stratified_sample(strata, left, plan.overlap_count, topic, plan.seed, given)


def _first_hand(assignment: Assignment) -> QuerySet[Judgment]:
    """Return people's labels on an assignment's documents without those of second judges and of samples.

    Labels from files of judges outside the plan are left out. Machine judges decide nothing of what people
    judge, apart from the order of triage.
    """
    later = (Assignment.Part.SECOND, Assignment.Part.AUDIT)
    seconds = Assignment.objects.filter(topic=assignment.topic_id, pool=assignment.pool_id, part__in=later)
    labels = Judgment.objects.filter(pooled__topic=assignment.topic_id, pooled__pool=assignment.pool_id)
    return in_plan(labels.filter(of_people()).exclude(judge__in=seconds.values("judge")))


def in_plan(labels: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Leave out labels from files whose judges have no part in the plan: their documents are not assigned."""
    own = Assignment.objects.filter(
        judge=OuterRef("judge"), topic=OuterRef("pooled__topic"), pool=OuterRef("pooled__pool")
    )
    return labels.exclude(~Exists(own), event__source="import")


def live_state(assignment: Assignment) -> tuple[LiveOrder, dict[str, bool], set[str]]:
    """Return a topic's live order, its labels so far, and documents that are in a queue or cannot be judged.

    Judges who share the topic share the order; every other judge has their own.
    """
    labels = Judgment.objects.filter(pooled__topic=assignment.topic_id, pooled__pool=assignment.pool_id)
    entries = QueueEntry.objects.filter(
        topic=assignment.topic_id, pooled__pool=assignment.pool_id, state=QueueEntry.State.OPEN
    )
    if assignment.part == Assignment.Part.SHARED:
        labels = _first_hand(assignment)
    else:
        labels, entries = labels.filter(judge=assignment.judge_id), entries.filter(judge=assignment.judge_id)
    threshold = assignment.topic.campaign.threshold
    given = dict(labels.values_list("pooled__docno", "relevance"))
    passed = set(entries.values_list("pooled__docno", flat=True))
    passed |= {docno for docno, relevance in given.items() if relevance is None}
    relevant = {docno: grade >= threshold for docno, grade in given.items() if grade is not None}
    return live_order(assignment.pool, assignment.topic), relevant, passed - relevant.keys()


def live_order(pool: Pool, topic: Topic) -> LiveOrder:
    """Return the order of a topic in a pool with a live strategy. What it is made of is frozen and cached.

    The time of freezing distinguishes the pool of a restored database from another with the same key.
    """
    name = f"live-order-{pool.pk}-{topic.pk}"
    plan, runs = cached(topic.campaign, name, pool.frozen_at, lambda: _live_input(pool.pk, topic))
    return order_of(plan.strategy, runs, topic.number, plan.parameters, plan.seed, plan.ties)


def _live_input(pool_pk: int, topic: Topic) -> tuple[PoolPlan, list[RunRankings]]:
    """Return the plan of a pool, and the rankings of its runs for a topic."""
    pool = Pool.objects.get(pk=pool_pk)
    plan = pool_plan_of(pool.manifest)
    runs = list(pool.runs.select_related("columns"))
    deepest = max(reaches(plan.strategy, runs, plan.parameters).values(), default=0)
    return plan, ranked_runs(topic.campaign, runs, deepest, topic.number)


def current_refusals(events: QuerySet[JudgmentEvent]) -> list[Judgment]:
    """Return the current *cannot judge* labels among these events, locked for the transaction."""
    judgments = Judgment.objects.filter(event__in=events, relevance__isnull=True)
    return list(
        judgments.select_for_update(of=["self"]).select_related("event", "pooled__pool__campaign", "judge")
    )

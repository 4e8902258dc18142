"""The queues of judges: add, postpone and return documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max, QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.document_order import TRIAGE, QueueKey, burn_in_of, next_live, ordered
from assess.models import (
    Adjudication,
    Assignment,
    AuditedDocument,
    JudgingPlan,
    Judgment,
    JudgmentEvent,
    QueueEntry,
    ReturnedLabel,
)
from assess.queries.gold import not_gold_or_training
from assess.queries.judging import next_entries
from assess.queries.queues import (
    assignments_of,
    can_grow,
    current_refusals,
    is_live,
    judging_plan_of,
    live_state,
    overlap_docnos,
)
from assess.queries.sources import of_people
from assess.queries.triage import places_by_triage
from assess.queries.withheld import to_be_queued
from assess.services.counters import ProgressChange, add_progress, lock_documents, update_label_summaries
from assess.services.queue_entries import (
    add_gold_to_queue,
    add_repeats,
    new_lease_end,
    open_entries,
    release_expired_leases,
    renew_leases,
)
from pooling.campaign_states import check_writable
from pooling.models import PooledDocument, Topic
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change

Part = Assignment.Part


@transaction.atomic
def extend_queue(judge: User, topic: Topic, want: int) -> None:
    """Append the documents that a judge is to get and does not have yet to the judge's queue.

    All documents at once if they are known in advance. For a shared topic or a live order only up to `want`
    open documents, because the later ones depend on what other judges take and on labels.
    """
    Topic.objects.select_for_update().get(
        pk=topic.pk
    )  # one transaction at a time takes documents of the topic
    plan = judging_plan_of(topic.campaign)
    for assignment in assignments_of(judge, topic):
        assignment.judge, assignment.topic = judge, topic
        if assignment.part != Part.AUDIT:
            _append(assignment, plan, want)
        _append_sample(assignment, plan)
    add_gold_to_queue(judge, topic, plan)


def _append(assignment: Assignment, plan: JudgingPlan, want: int) -> None:
    queue = QueueEntry.objects.filter(judge=assignment.judge, topic=assignment.topic)
    here = queue.filter(pooled__pool=assignment.pool_id)
    shared, live = assignment.part == Part.SHARED, is_live(assignment.pool)
    available = _available(assignment)
    want = max(0, want - here.filter(state=QueueEntry.State.OPEN).count())
    if live:
        docnos = _next_of_live(assignment, plan, available, want)
    else:
        docnos = _in_order(assignment, plan, available)[: want if shared else None]
    _open(assignment, [available[docno].pk for docno in docnos], new_lease_end() if shared else None)


def _append_sample(assignment: Assignment, plan: JudgingPlan) -> None:
    """Append the sampled documents of audits that this judge is to judge and has neither open nor done."""
    sample = AuditedDocument.objects.filter(judges=assignment.judge_id, pooled__topic=assignment.topic_id)
    sampled = PooledDocument.objects.filter(
        not_gold_or_training("pk"), pk__in=sample.order_by().values("pooled"), pool=assignment.pool_id
    )
    queued = QueueEntry.objects.filter(judge=assignment.judge, topic=assignment.topic_id)
    sampled = sampled.exclude(pk__in=queued.exclude(state=QueueEntry.State.AWAY).values("pooled"))
    rows = sampled.order_by().values_list(*CANDIDATE)
    documents = {docno: _Candidate(pk, rank) for docno, pk, rank in rows}
    if documents:
        in_order = _ordered(assignment, plan, documents)
        _open(assignment, [documents[docno].pk for docno in in_order])


def _open(assignment: Assignment, pooled: Iterable[int], leased_until: datetime | None = None) -> None:
    """Append these documents to the queue of a judge, in this order."""
    queue = QueueEntry.objects.filter(judge=assignment.judge, topic=assignment.topic)
    last = queue.aggregate(last=Max("place"))["last"] or 0
    open_entries(
        [
            QueueEntry(
                judge=assignment.judge,
                topic=assignment.topic,
                pooled_id=pk,
                place=last + step,
                leased_until=leased_until,
            )
            for step, pk in enumerate(pooled, start=1)
        ]
    )


@transaction.atomic
def put_first(judge: User, topic: Topic, pooled: Collection[int]) -> None:
    """Put open documents before the others in the queue of a judge for a topic; both keep their own order.

    A document that the judge has postponed keeps its place.
    """
    queue = QueueEntry.objects.filter(judge=judge, topic=topic, kind=QueueEntry.Kind.JUDGING, postponed=0)
    entries = list(queue.filter(state=QueueEntry.State.OPEN).select_for_update().order_by("place", "pk"))
    places = [entry.place for entry in entries]
    entries.sort(key=lambda entry: entry.pooled_id not in pooled)
    for entry, place in zip(entries, places, strict=True):
        entry.place = place
    QueueEntry.objects.bulk_update(entries, ["place"], batch_size=500)


class _Candidate(NamedTuple):
    """The fields of a pooled document that decide its order."""

    pk: int
    best_rank: int | None


CANDIDATE = "docno", "pk", "best_rank"


def _available(assignment: Assignment) -> dict[str, _Candidate]:
    """Return docno -> candidate, for documents that the judge may get and does not have in the queue."""
    documents = PooledDocument.objects.filter(
        to_be_queued(), topic=assignment.topic_id, pool=assignment.pool_id
    )
    queued = QueueEntry.objects.filter(judge=assignment.judge, topic=assignment.topic_id).exclude(
        state=QueueEntry.State.AWAY
    )
    documents = documents.exclude(pk__in=queued.values("pooled"))
    if assignment.part == Part.SHARED:
        documents = documents.exclude(pk__in=_taken_by_others(assignment).values("pooled"))
    return {docno: _Candidate(pk, rank) for docno, pk, rank in documents.values_list(*CANDIDATE)}


def _taken_by_others(assignment: Assignment) -> QuerySet[QueueEntry]:
    """Return entries that others of a shared topic have judged or hold. Expired leases are released first."""
    not_shared = Assignment.objects.filter(topic=assignment.topic_id, pool=assignment.pool_id).exclude(
        part=Part.SHARED
    )
    others = QueueEntry.objects.filter(
        topic=assignment.topic_id, pooled__pool=assignment.pool_id, kind=QueueEntry.Kind.JUDGING
    ).exclude(judge__in=[assignment.judge_id, *not_shared.values_list("judge", flat=True)])
    release_expired_leases(others)
    return others.exclude(state=QueueEntry.State.AWAY)


def _in_order(assignment: Assignment, plan: JudgingPlan, available: dict[str, _Candidate]) -> list[str]:
    """Return the available docnos of an assignment in the order of the plan."""
    chosen: Iterable[str] = available
    if assignment.part == Part.SECOND:
        chosen = overlap_docnos(assignment, plan) & available.keys()
    return _ordered(assignment, plan, chosen)


def _ordered(assignment: Assignment, plan: JudgingPlan, chosen: Iterable[str]) -> list[str]:
    queue_key = QueueKey(assignment.topic.number, assignment.judge.username, plan.seed)
    # Ranks of all documents of the topic in the pool: the order must not depend on what is still available.
    frozen = PooledDocument.objects.filter(topic=assignment.topic_id, pool=assignment.pool_id)
    ranks = dict(frozen.values_list("docno", "best_rank"))
    places = {docno: rank or len(ranks) for docno, rank in ranks.items()}
    first = burn_in_of(places, plan.burn_in, queue_key)
    if plan.order == TRIAGE:
        places = places_by_triage(assignment.pool, assignment.topic, plan, ranks.keys())
    return ordered(plan.order, chosen, queue_key, places, first)


def _next_of_live(
    assignment: Assignment, plan: JudgingPlan, available: dict[str, _Candidate], want: int
) -> list[str]:
    queue_key = QueueKey(assignment.topic.number, assignment.judge.username, plan.seed)
    order, labels, passed = live_state(assignment)
    docnos: list[str] = []
    while len(docnos) < want and (docno := next_live(order, queue_key, labels, passed)):
        passed.add(docno)
        if docno in available:  # a document of an earlier pool is judged there
            docnos.append(docno)
    return docnos


def next_documents(
    judge: User,
    topic: Topic,
    want: int,
    have: Collection[int] = frozenset(),
    assignments: Sequence[Assignment] | None = None,
) -> list[QueueEntry]:
    """Return the judge's next documents: as many as the page lacks for `want` cards, fewer at the end.

    have: keys of the entries whose cards are on the page. assignments: as for `can_grow`. Documents of a
    shared topic or a live order are added to the queue now.
    """
    missing = max(0, want - len(have))
    if missing and judging_plan_of(topic.campaign).repeat_share:
        add_repeats(judge, topic)
    entries = next_entries(judge, topic, missing, have)
    if len(entries) < missing and can_grow(judge, topic, assignments):
        extend_queue(judge, topic, want)
        entries = next_entries(judge, topic, missing, have)
    if any(entry.leased_until for entry in entries):
        renew_leases(judge, topic)
    return entries


@transaction.atomic
def postpone(entry: QueueEntry, times: int) -> None:
    """Move a document to the end of the judge's queue.

    times: how often the document was postponed before, so that a repeated request changes nothing.
    """
    queue = QueueEntry.objects.select_for_update().filter(judge=entry.judge_id, topic=entry.topic_id)
    last = queue.aggregate(last=Max("place"))["last"]
    queue.filter(pk=entry.pk, postponed=times).update(place=last + 1, postponed=times + 1)


@transaction.atomic
def return_to_judges(events: QuerySet[JudgmentEvent], organiser: User) -> int:
    """Return documents labelled "cannot judge" to the end of their judges' queues. Return how many.

    A judge who no longer has the topic does not get the document again: it is free for the current judges.
    """
    current = current_refusals(events)
    if not current:
        return 0
    _return(current, organiser)
    pairs = [[judgment.judge.username, str(judgment.event.uuid)] for judgment in current]
    summary = f"{len(pairs)} document{pluralize(len(pairs))}"
    log_change(current[0].pooled.pool.campaign, organiser, "returned", summary, events=pairs)
    return len(current)


class NotAsked(Conflict):
    """A label was not sent back to its judge; the message says why."""


@transaction.atomic
def ask_again(pooled: PooledDocument, event: int, adjudicator: User, remark: str) -> None:
    """Send a label back to its judge with a remark: it counts no more, until the judge labels again.

    event: key of the label's event. The judge sees the remark and no label of others. Raises NotAsked and
    StateRefused.
    """
    campaign = pooled.pool.campaign
    check_writable(campaign.state)
    lock_documents([pooled.pk])
    if Adjudication.objects.filter(pooled=pooled).exists():
        raise NotAsked("This document is settled. Reopen it before you send a label back.")
    labels = Judgment.objects.filter(of_people(), pooled=pooled, event=event)
    judgment = labels.select_related("event", "judge", "pooled__pool__campaign").first()
    if not judgment:
        raise NotAsked("The judge has changed this label since you opened the document. Look at it again.")
    entries = QueueEntry.objects.filter(
        judge=judgment.judge, pooled=pooled, kind=QueueEntry.Kind.JUDGING, judge__is_active=True
    )
    assigned = Assignment.objects.filter(judge=judgment.judge, topic=pooled.topic_id)
    if not entries.exists() or not assigned.exists():
        raise NotAsked("This judge does not have the topic any more, and cannot be asked again.")
    _return([judgment], adjudicator, remark)
    topic, docno = pooled.topic.number, pooled.docno
    about = {"topic": topic, "docno": docno, "event": str(judgment.event.uuid)}
    log_change(campaign, adjudicator, "asked a judge again", f"{topic} {docno}", **about)


def _return(current: Sequence[Judgment], by: User, remark: str = "") -> None:
    """Withdraw these labels and open their documents in the queues of their judges."""
    documents = {judgment.pooled_id for judgment in current}
    lock_documents(documents)
    ReturnedLabel.objects.bulk_create([ReturnedLabel(event=judgment.event, by=by) for judgment in current])
    _reopen_entries(current, remark)
    Judgment.objects.filter(pk__in=[judgment.pk for judgment in current]).delete()
    update_label_summaries(current[0].pooled.pool.campaign_id, documents)
    changes: dict[tuple[int, int], ProgressChange] = {}
    for judgment in current:
        key = judgment.judge_id, judgment.pooled.topic_id
        before = changes.get(key, ProgressChange())
        refused = int(judgment.relevance is None)
        changes[key] = before._replace(labels=before.labels - 1, refused=before.refused - refused)
    add_progress(changes)


def _reopen_entries(judgments: Collection[Judgment], remark: str) -> None:
    """Move the queue entries of these judgments to the end of their judges' queues and open them.

    An entry of a judge who no longer has the topic goes to state AWAY.
    """
    returned = {(judgment.judge_id, judgment.pooled_id) for judgment in judgments}
    queue = QueueEntry.objects.filter(
        judge__in={judge for judge, _ in returned},
        topic__in={judgment.pooled.topic_id for judgment in judgments},
    )
    places = {(judge, topic): last for judge, topic, last in _last_places(queue)}
    assigned = set(
        Assignment.objects.filter(topic__in={topic for _, topic in places}).values_list("judge", "topic")
    )
    entries = queue.filter(kind=QueueEntry.Kind.JUDGING, pooled__in={pooled for _, pooled in returned})
    reopened = [entry for entry in entries if (entry.judge_id, entry.pooled_id) in returned]
    for entry in reopened:
        key = entry.judge_id, entry.topic_id
        places[key] += 1
        entry.place, entry.remark = places[key], remark
        if remark:  # of a shared topic too: nobody else may take what this judge was asked
            entry.leased_until = None
        entry.state = QueueEntry.State.OPEN if key in assigned else QueueEntry.State.AWAY
    QueueEntry.objects.bulk_update(reopened, ["place", "state", "remark", "leased_until"], batch_size=500)


def _last_places(queue: QuerySet[QueueEntry]) -> Iterable[tuple[int, int, int]]:
    return queue.order_by().values_list("judge", "topic").annotate(last=Max("place"))

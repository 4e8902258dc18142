"""Which documents stand in a judge's queue, and whose they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max, QuerySet
from django.template.defaultfilters import pluralize
from django.utils import timezone

from accounts.models import User
from assess.models import Assignment, JudgingPlan, Judgment, JudgmentEvent, QueueEntry, Return
from assess.queries.cards import next_entries
from assess.queries.probes import no_probe
from assess.queries.queues import (
    assignments_of,
    current_refusals,
    is_live,
    live_state,
    may_grow,
    overlap_of,
    plan_of,
)
from assess.queue import Desk, burn_in_of, next_live, ordered
from assess.services.entries import open_entries
from assess.services.label_summaries import lock_documents, update_label_summaries
from assess.services.probes import give_probes
from assess.services.progress import Change, add_progress
from assess.services.repeats import give_repeat
from pooling.models import PooledDocument, Topic
from pooling.services.trail import note

LEASE = timedelta(minutes=30)
RENEWED_AFTER = timedelta(minutes=5)
Part = Assignment.Part


@transaction.atomic
def extend_queue(judge: User, topic: Topic, want: int) -> None:
    """Put into a judge's queue what is theirs and not there yet, behind all that is.

    Everything at once where it is known beforehand; of a shared topic, or in a live order, no more than so
    many open documents are wanted, because what comes later hangs on what others take and how they label.
    """
    Topic.objects.select_for_update().get(pk=topic.pk)  # one desk after the other takes from the heap
    plan = plan_of(topic.campaign)
    for assignment in assignments_of(judge, topic):
        assignment.judge, assignment.topic = judge, topic
        _append(assignment, plan, want)
    give_probes(judge, topic, plan)


def _append(assignment: Assignment, plan: JudgingPlan, want: int) -> None:
    queue = QueueEntry.objects.filter(judge=assignment.judge, topic=assignment.topic)
    here = queue.filter(pooled__pool=assignment.pool_id)
    shared, live = assignment.part == Part.SHARED, is_live(assignment.pool)
    heap = _heap(assignment)
    want = max(0, want - here.filter(state=QueueEntry.State.OPEN).count())
    if live:
        docnos = _next_of_live(assignment, plan, heap, want)
    else:
        docnos = _whole(assignment, plan, heap)[: want if shared else None]
    last = queue.aggregate(last=Max("place"))["last"] or 0
    until = timezone.now() + LEASE if shared else None
    open_entries(
        [
            QueueEntry(
                judge=assignment.judge,
                topic=assignment.topic,
                pooled_id=heap[docno].pk,
                place=last + step,
                leased_until=until,
            )
            for step, docno in enumerate(docnos, start=1)
        ]
    )


class _Pooled(NamedTuple):
    """As much of a pooled document as decides when it comes."""

    pk: int
    best_rank: int | None


def _heap(assignment: Assignment) -> dict[str, _Pooled]:
    """Return docno -> pooled document, of those that are not in this judge's hands and that they may get."""
    heap = PooledDocument.objects.filter(no_probe("pk"), topic=assignment.topic_id, pool=assignment.pool_id)
    kept = QueueEntry.objects.filter(judge=assignment.judge, topic=assignment.topic_id).exclude(
        state=QueueEntry.State.AWAY
    )
    heap = heap.exclude(pk__in=kept.values("pooled"))
    if assignment.part == Part.SHARED:
        heap = heap.exclude(pk__in=_taken_by_others(assignment).values("pooled"))
    return {docno: _Pooled(pk, rank) for docno, pk, rank in heap.values_list("docno", "pk", "best_rank")}


def _taken_by_others(assignment: Assignment) -> QuerySet[QueueEntry]:
    """Return what others who share, or have shared, the topic judged or hold; free what expired."""
    rest = Assignment.objects.filter(topic=assignment.topic_id, pool=assignment.pool_id).exclude(
        part=Part.SHARED
    )
    others = QueueEntry.objects.filter(
        topic=assignment.topic_id, pooled__pool=assignment.pool_id, kind=QueueEntry.Kind.JUDGING
    ).exclude(judge__in=[assignment.judge_id, *rest.values_list("judge", flat=True)])
    expired = others.filter(state=QueueEntry.State.OPEN, leased_until__lt=timezone.now())
    expired.update(state=QueueEntry.State.AWAY)
    return others.exclude(state=QueueEntry.State.AWAY)


def _whole(assignment: Assignment, plan: JudgingPlan, heap: dict[str, _Pooled]) -> list[str]:
    chosen: Iterable[str] = heap
    if assignment.part == Part.SECOND:
        chosen = overlap_of(assignment, plan) & heap.keys()
    desk = Desk(assignment.topic.number, assignment.judge.username, plan.seed)
    # Of all the topic's documents in the pool: what is taken from the heap meanwhile must not move the rest.
    frozen = PooledDocument.objects.filter(topic=assignment.topic_id, pool=assignment.pool_id)
    ranks = dict(frozen.values_list("docno", "best_rank"))
    places = {docno: rank or len(ranks) for docno, rank in ranks.items()}
    return ordered(plan.order, chosen, desk, places, burn_in_of(places, plan.burn_in, desk))


def _next_of_live(
    assignment: Assignment, plan: JudgingPlan, heap: dict[str, _Pooled], want: int
) -> list[str]:
    desk = Desk(assignment.topic.number, assignment.judge.username, plan.seed)
    order, labels, passed = live_state(assignment)
    docnos: list[str] = []
    while len(docnos) < want and (docno := next_live(order, desk, labels, passed)):
        passed.add(docno)
        if docno in heap:  # what an earlier pool holds is judged there
            docnos.append(docno)
    return docnos


def next_documents(
    judge: User, topic: Topic, want: int, have: Collection[int] = frozenset()
) -> list[QueueEntry]:
    """Return the judge's next documents, so many that with those they have it makes `want`; fewer at the end.

    have: the entries whose cards are on the page. What a shared topic or a live order gives is taken now.
    """
    lacking = max(0, want - len(have))
    if lacking and plan_of(topic.campaign).repeat_share:
        give_repeat(judge, topic)
    found = next_entries(judge, topic, lacking, have)
    if len(found) < lacking and may_grow(judge, topic):
        extend_queue(judge, topic, want)
        found = next_entries(judge, topic, lacking, have)
    if any(entry.leased_until for entry in found):
        renew_leases(judge, topic)
    return found


def renew_leases(judge: User, topic: Topic) -> None:
    """Whoever works at a shared topic keeps what is on their desk."""
    held = QueueEntry.objects.filter(judge=judge, topic=topic, state=QueueEntry.State.OPEN)
    if held.filter(
        leased_until__lt=timezone.now() + LEASE - RENEWED_AFTER
    ).exists():  # mostly none is: no write
        with transaction.atomic():
            held.filter(leased_until__isnull=False).update(leased_until=timezone.now() + LEASE)


@transaction.atomic
def postpone(entry: QueueEntry, times: int) -> None:
    """The judge said *later*: the document comes again after all others.

    times: how often it had been postponed when the judge saw it, so that a retry changes nothing.
    """
    queue = QueueEntry.objects.select_for_update().filter(judge=entry.judge_id, topic=entry.topic_id)
    last = queue.aggregate(last=Max("place"))["last"]
    queue.filter(pk=entry.pk, postponed=times).update(place=last + 1, postponed=times + 1)


@transaction.atomic
def return_to_judges(events: QuerySet[JudgmentEvent], organiser: User) -> int:
    """Give *cannot judge* back: each waits again at the end of its judge's queue. Returns how many.

    Whoever has the topic no more does not get it back: it is free for those who have it now.
    """
    current = current_refusals(events)
    if not current:
        return 0
    documents = {judgment.pooled_id for judgment in current}
    lock_documents(documents)
    Return.objects.bulk_create([Return(event=judgment.event, by=organiser) for judgment in current])
    returned = {(judgment.judge_id, judgment.pooled_id) for judgment in current}
    queue = QueueEntry.objects.filter(
        judge__in={judge for judge, _ in returned}, topic__in={each.pooled.topic_id for each in current}
    )
    places = {(judge, topic): last for judge, topic, last in _last_places(queue)}
    held = set(
        Assignment.objects.filter(topic__in={topic for _, topic in places}).values_list("judge", "topic")
    )
    entries = queue.filter(kind=QueueEntry.Kind.JUDGING, pooled__in={pooled for _, pooled in returned})
    back = [entry for entry in entries if (entry.judge_id, entry.pooled_id) in returned]
    for entry in back:
        desk = entry.judge_id, entry.topic_id
        places[desk] += 1
        entry.place = places[desk]
        entry.state = QueueEntry.State.OPEN if desk in held else QueueEntry.State.AWAY
    QueueEntry.objects.bulk_update(back, ["place", "state"], batch_size=500)
    Judgment.objects.filter(pk__in=[judgment.pk for judgment in current]).delete()
    campaign = current[0].pooled.pool.campaign
    update_label_summaries(campaign.pk, documents)
    counts = Counter((judgment.judge_id, judgment.pooled.topic_id) for judgment in current)
    add_progress({key: Change(labels=-count, refused=-count) for key, count in counts.items()})
    pairs = [[judgment.judge.username, str(judgment.event.uuid)] for judgment in current]
    told = f"{len(pairs)} document{pluralize(len(pairs))}"
    note(campaign, organiser, "returned", told, events=pairs)
    return len(current)


def _last_places(queue: QuerySet[QueueEntry]) -> Iterable[tuple[int, int, int]]:
    return queue.order_by().values_list("judge", "topic").annotate(last=Max("place"))

"""Entries of a judge's queue: open and lease them; add hidden repeats, training and gold documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from assess.document_order import MIN_OPEN_CARDS, QueueKey, gold_places
from assess.double_judging import repeats_due
from assess.models import Assignment, JudgingPlan, Probe, QueueEntry
from assess.queries.judge_progress import count_unqueued, repeats_to_come
from assess.queries.judging import judged_docnos
from assess.queries.queues import grows_live, judging_plan_of
from pooling.models import Topic

UPDATED_FIELDS = ["state", "place", "leased_until"]
LEASE_DURATION = timedelta(minutes=30)
LEASE_RENEWAL_INTERVAL = timedelta(minutes=5)
GOLD_WITHIN = 40  # gold comes among this many first documents of a topic, at most half of them
GOLD_WITHIN_GROWING = 20  # the same for a queue whose final length is not known
Kind, State = QueueEntry.Kind, QueueEntry.State


def open_entries(entries: Sequence[QueueEntry]) -> None:
    """Store open entries of one judge, topic and kind.

    An existing entry in state AWAY is opened again at its new place. An entry that the judge labels at the
    same time stays done.
    """
    if not entries:
        return
    first, new = entries[0], {entry.pooled_id: entry for entry in entries}
    queue = QueueEntry.objects.filter(judge=first.judge_id, topic=first.topic_id, kind=first.kind)
    away = [
        entry
        for entry in queue.filter(state=QueueEntry.State.AWAY).select_for_update().order_by("pk")
        if entry.pooled_id in new
    ]
    for entry in away:
        update = new.pop(entry.pooled_id)
        entry.state, entry.place, entry.leased_until = update.state, update.place, update.leased_until
    QueueEntry.objects.bulk_update(away, UPDATED_FIELDS, batch_size=500)
    QueueEntry.objects.bulk_create(new.values(), ignore_conflicts=True)


@transaction.atomic
def add_repeats(judge: User, topic: Topic) -> None:
    """Add the repeats of earlier documents of the topic that are due, after the prefetched cards."""
    to_come = repeats_to_come(judge, topic, count_unqueued(judge, topic))
    if not to_come:
        return
    plan = judging_plan_of(topic.campaign)
    queue_key = QueueKey(topic.number, judge.username, plan.seed)
    queue = QueueEntry.objects.filter(judge=judge, topic=topic)
    repeated = queue.order_by().filter(kind=QueueEntry.Kind.REPEAT).values_list("pooled__docno", flat=True)
    due = repeats_due(judged_docnos(judge, topic), set(repeated), plan.repeat_share / 100, queue_key)
    if not due:
        return
    ahead = queue.filter(state=QueueEntry.State.OPEN)[: MIN_OPEN_CARDS + 1]
    places = [entry.place for entry in ahead]
    # Before the document at this place; behind all if the queue is short because it grows.
    place = places[-1] if len(places) > MIN_OPEN_CARDS else max(places, default=0) + 1
    originals = queue.filter(pooled__docno__in=due[:to_come], kind=QueueEntry.Kind.JUDGING)
    QueueEntry.objects.bulk_create(
        [
            QueueEntry(judge=judge, topic=topic, pooled_id=pooled, kind=QueueEntry.Kind.REPEAT, place=place)
            for pooled in originals.order_by().values_list("pooled", flat=True)
        ],
        ignore_conflicts=True,
    )


def new_lease_end() -> datetime:
    """Return the time at which a lease that begins now expires."""
    return timezone.now() + LEASE_DURATION


def renew_leases(judge: User, topic: Topic) -> None:
    """Renew the leases of a judge on a shared topic, at most every five minutes."""
    leased = QueueEntry.objects.filter(judge=judge, topic=topic, state=QueueEntry.State.OPEN)
    due = new_lease_end() - LEASE_RENEWAL_INTERVAL
    if leased.filter(leased_until__lt=due).exists():  # usually none is, and nothing is written
        with transaction.atomic():
            leased.filter(leased_until__isnull=False).update(leased_until=new_lease_end())


def release_expired_leases(entries: QuerySet[QueueEntry]) -> None:
    """Release the open documents among these entries whose lease expired, so that another judge gets them."""
    expired = entries.filter(state=QueueEntry.State.OPEN, leased_until__lt=timezone.now())
    expired.update(state=QueueEntry.State.AWAY)


def add_gold_to_queue(judge: User, topic: Topic, plan: JudgingPlan) -> None:
    """Add the missing training and gold documents of a topic to the queue of a judge.

    Training documents come first. Gold documents come early among the others, unmarked, at places drawn for
    this judge. A judge who has finished the topic gets none, because they would be recognisable.
    """
    probes = (
        Probe.objects.filter(pooled__topic=topic, withdrawn=False).select_related("pooled").order_by("pk")
    )
    if not probes:
        return
    queue = QueueEntry.objects.filter(judge=judge, topic=topic).exclude(state=State.AWAY)
    present = set(queue.exclude(kind__in=[Kind.JUDGING, Kind.REPEAT]).values_list("pooled", flat=True))
    missing = {probe.pooled.docno: probe for probe in probes if probe.pooled_id not in present}
    if not missing:
        return
    work = queue.filter(kind=Kind.JUDGING)
    done = work.filter(state=State.DONE).count()
    waiting = list(work.filter(state=State.OPEN).values_list("place", flat=True))
    if done and not waiting:
        return
    gold = [docno for docno, probe in missing.items() if probe.kind == Probe.Kind.GOLD]
    places = dict.fromkeys(missing.keys() - set(gold), 0)
    places |= _gold_places(
        gold,
        done,
        waiting,
        QueueKey(topic.number, judge.username, plan.seed),
        has_open_length(judge, topic, plan),
    )
    rows = [
        QueueEntry(judge=judge, topic=topic, pooled=probe.pooled, kind=probe.kind, place=places[docno])
        for docno, probe in missing.items()
        if docno in places
    ]
    for row, key in zip(rows, sorted(row.pk for row in rows), strict=True):
        row.pk = key  # entries of one place come in the order in which they were loaded
    for kind in Probe.Kind.values:
        open_entries([row for row in rows if row.kind == kind])


def has_open_length(judge: User, topic: Topic, plan: JudgingPlan) -> bool:
    """Whether the final length of the judge's queue is not known yet."""
    assignments = Assignment.objects.filter(judge=judge, topic=topic).select_related("pool")
    open_ended = {Assignment.Part.SHARED}
    if plan.overlap == "stratified":
        open_ended.add(Assignment.Part.SECOND)
    return any(a.part in open_ended or grows_live(a) for a in assignments)


def _gold_places(
    docnos: list[str], done: int, waiting: list[int], queue_key: QueueKey, grows: bool
) -> dict[str, int]:
    """Return docno -> place of the queue entry that it follows, for places that the queue has reached."""
    first_part = GOLD_WITHIN_GROWING if grows else max(1, min(GOLD_WITHIN, (done + len(waiting)) // 2))
    behind = max(0, len(waiting) - MIN_OPEN_CARDS)
    places = {}
    for docno, nth in gold_places(docnos, first_part, queue_key).items():
        index = nth - done - 1
        if index < 0:  # loaded late: after the prefetched cards, spread over the rest
            index = len(waiting) - 1 if grows else MIN_OPEN_CARDS + (nth - 1) * behind // first_part
        if index < len(waiting):
            places[docno] = waiting[index]
    return places

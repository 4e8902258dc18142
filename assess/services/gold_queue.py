"""Insert training and gold documents into the queues of judges."""

from __future__ import annotations

from accounts.models import User
from assess.document_order import MIN_OPEN_CARDS, QueueKey, gold_places
from assess.models import Assignment, JudgingPlan, Probe, QueueEntry
from assess.queries.queues import grows_live
from assess.services.queue_entries import open_entries
from pooling.models import Topic

GOLD_WITHIN = 40  # gold comes among this many first documents of a topic, at most half of them
GOLD_WITHIN_GROWING = 20  # the same for a queue whose final length is not known
Kind, State = QueueEntry.Kind, QueueEntry.State


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

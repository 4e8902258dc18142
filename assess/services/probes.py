"""Documents whose grade the organiser knows, put into a judge's queue: to learn from, or as a hidden test."""

from __future__ import annotations

from accounts.models import User
from assess.models import Assignment, JudgingPlan, Probe, QueueEntry
from assess.queries.queues import is_live
from assess.queue import ON_DESK, Desk, gold_places
from assess.services.entries import open_entries
from pooling.models import Topic

FIRST_PART = 40  # gold comes among the first so many documents of a topic, or in their first half
GROWING = 20  # ... of a queue whose length nobody knows yet
Kind, State = QueueEntry.Kind, QueueEntry.State


def give_probes(judge: User, topic: Topic, plan: JudgingPlan) -> None:
    """Put a topic's probes where they belong in a judge's queue, those that are not there yet.

    Training comes before all else. Gold comes early among the other documents, at places of this judge's
    own, unmarked. Who has finished the topic gets none: alone, they would stand out.
    """
    probes = (
        Probe.objects.filter(pooled__topic=topic, withdrawn=False).select_related("pooled").order_by("pk")
    )
    if not probes:
        return
    queue = QueueEntry.objects.filter(judge=judge, topic=topic).exclude(state=State.AWAY)
    there = set(queue.exclude(kind__in=[Kind.JUDGING, Kind.REPEAT]).values_list("pooled", flat=True))
    lacking = {probe.pooled.docno: probe for probe in probes if probe.pooled_id not in there}
    if not lacking:
        return
    work = queue.filter(kind=Kind.JUDGING)
    done = work.filter(state=State.DONE).count()
    waiting = list(work.filter(state=State.OPEN).values_list("place", flat=True))
    if done and not waiting:
        return
    gold = [docno for docno, probe in lacking.items() if probe.kind == Probe.Kind.GOLD]
    places = dict.fromkeys(lacking.keys() - set(gold), 0)
    places |= _among_the_others(
        gold, done, waiting, Desk(topic.number, judge.username, plan.seed), growing(judge, topic, plan)
    )
    rows = [
        QueueEntry(judge=judge, topic=topic, pooled=probe.pooled, kind=probe.kind, place=places[docno])
        for docno, probe in lacking.items()
        if docno in places
    ]
    for row, key in zip(rows, sorted(row.pk for row in rows), strict=True):
        row.pk = key  # those of one place come in the order in which they were loaded
    for kind in Probe.Kind.values:
        open_entries([row for row in rows if row.kind == kind])


def growing(judge: User, topic: Topic, plan: JudgingPlan) -> bool:
    """Whether nobody knows yet how long the judge's queue will be."""
    theirs = Assignment.objects.filter(judge=judge, topic=topic).select_related("pool")
    open_ended = {Assignment.Part.SHARED}
    if plan.overlap == "stratified":
        open_ended.add(Assignment.Part.SECOND)
    return any(a.part in open_ended or is_live(a.pool) for a in theirs)


def _among_the_others(
    docnos: list[str], done: int, waiting: list[int], desk: Desk, grows: bool
) -> dict[str, int]:
    """Return docno -> the place behind which it goes, of those whose place the queue has reached."""
    first_part = GROWING if grows else max(1, min(FIRST_PART, (done + len(waiting)) // 2))
    behind = max(0, len(waiting) - ON_DESK)
    found = {}
    for docno, nth in gold_places(docnos, first_part, desk).items():
        index = nth - done - 1
        if index < 0:  # loaded late: behind the cards that lie ready, spread over what is left
            index = len(waiting) - 1 if grows else ON_DESK + (nth - 1) * behind // first_part
        if index < len(waiting):
            found[docno] = waiting[index]
    return found

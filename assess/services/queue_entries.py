"""Open the entries of a judge's queue, and add hidden repeats to it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from accounts.models import User
from assess.document_order import MIN_OPEN_CARDS, QueueKey
from assess.double_judging import repeats_due
from assess.models import QueueEntry
from assess.queries.judge_progress import count_unqueued, repeats_to_come
from assess.queries.judging import judged_docnos
from assess.queries.queues import plan_of
from pooling.models import Topic

UPDATED_FIELDS = ["state", "place", "leased_until"]


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
    plan = plan_of(topic.campaign)
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

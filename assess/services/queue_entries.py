"""Open the entries of a judge's queue, and add hidden repeats to it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from accounts.models import User
from assess.document_order import MIN_OPEN_CARDS, QueueKey
from assess.double_judging import repeat_due
from assess.models import QueueEntry
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


MINIMUM_DISTANCE = 20  # minimum number of judgments before a repeat, so that the label is forgotten


@transaction.atomic
def add_repeat(judge: User, topic: Topic) -> None:
    """Add a repeat of an earlier document of the topic after the prefetched cards, if one is due."""
    plan = plan_of(topic.campaign)
    queue_key = QueueKey(topic.number, judge.username, plan.seed)
    docno = repeat_due(judged_docnos(judge, topic), plan.repeat_share / 100, MINIMUM_DISTANCE, queue_key)
    queue = QueueEntry.objects.filter(judge=judge, topic=topic)
    ahead = queue.filter(state=QueueEntry.State.OPEN)[: MIN_OPEN_CARDS + 1]
    if docno and len(ahead) > MIN_OPEN_CARDS:  # near the end of a topic a repeat would be recognisable
        original = queue.get(pooled__docno=docno, kind=QueueEntry.Kind.JUDGING)
        QueueEntry.objects.get_or_create(
            judge=judge,
            topic=topic,
            pooled=original.pooled,
            kind=QueueEntry.Kind.REPEAT,
            defaults={"place": ahead[MIN_OPEN_CARDS].place},  # it comes before the document at this place
        )

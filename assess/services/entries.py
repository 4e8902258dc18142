"""Open entries of the queues of judges."""

from __future__ import annotations

from collections.abc import Sequence

from assess.models import QueueEntry

CHANGED = ["state", "place", "leased_until"]


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
    QueueEntry.objects.bulk_update(away, CHANGED, batch_size=500)
    QueueEntry.objects.bulk_create(new.values(), ignore_conflicts=True)

"""Documents that a judge meets once more, unannounced, so that their own consistency can be told."""

from __future__ import annotations

from assess import queries
from assess.models import QueueEntry
from assess.overlap import repeat_due
from assess.queue import Desk

DISTANCE = 20  # judgments at least between a document and its return: enough to have forgotten the label
AHEAD = 4  # the cards that may lie on the desk already


def repeat_one(entry: QueueEntry) -> None:
    """Let an earlier document of the topic return behind the cards that lie ready, if one is due."""
    plan = queries.plan_of(entry.topic.campaign)
    if not plan.repeat_share:
        return
    desk = Desk(entry.topic.number, entry.judge.username, plan.seed)
    stream = queries.stream_of(entry.judge, entry.topic)
    docno = repeat_due(stream, plan.repeat_share / 100, DISTANCE, desk)
    queue = QueueEntry.objects.filter(judge=entry.judge_id, topic=entry.topic_id)
    ahead = queue.filter(state=QueueEntry.State.OPEN)[:AHEAD]
    if docno and len(ahead) == AHEAD:  # at a topic's end a repeat would stand out
        original = queue.get(pooled__docno=docno, kind=QueueEntry.Kind.JUDGING)
        QueueEntry.objects.get_or_create(
            judge=entry.judge,
            topic=entry.topic,
            pooled=original.pooled,
            kind=QueueEntry.Kind.REPEAT,
            defaults={"place": ahead[AHEAD - 1].place},
        )

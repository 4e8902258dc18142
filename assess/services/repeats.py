"""Documents that a judge meets once more, unannounced, so that their own consistency can be told."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from assess.models import QueueEntry
from assess.overlap import repeat_due
from assess.queries.cards import stream_of
from assess.queries.queues import plan_of
from assess.queue import ON_DESK, Desk
from pooling.models import Topic

DISTANCE = 20  # judgments at least between a document and its return: enough to have forgotten the label


@transaction.atomic
def give_repeat(judge: User, topic: Topic) -> None:
    """Let an earlier document of the topic return behind the cards that lie ready, if one is due."""
    plan = plan_of(topic.campaign)
    desk = Desk(topic.number, judge.username, plan.seed)
    docno = repeat_due(stream_of(judge, topic), plan.repeat_share / 100, DISTANCE, desk)
    queue = QueueEntry.objects.filter(judge=judge, topic=topic)
    ahead = queue.filter(state=QueueEntry.State.OPEN)[: ON_DESK + 1]
    if docno and len(ahead) > ON_DESK:  # at a topic's end a repeat would stand out
        original = queue.get(pooled__docno=docno, kind=QueueEntry.Kind.JUDGING)
        QueueEntry.objects.get_or_create(
            judge=judge,
            topic=topic,
            pooled=original.pooled,
            kind=QueueEntry.Kind.REPEAT,
            defaults={"place": ahead[ON_DESK].place},  # before the document of this place
        )

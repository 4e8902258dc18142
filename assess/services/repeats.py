"""Hidden repeats: documents that a judge labels twice, to measure self-agreement."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from assess.models import QueueEntry
from assess.overlap import repeat_due
from assess.queries.cards import stream_of
from assess.queries.queues import plan_of
from assess.queue import ON_DESK, Desk
from pooling.models import Topic

DISTANCE = 20  # minimum number of judgments before a repeat, so that the label is forgotten


@transaction.atomic
def give_repeat(judge: User, topic: Topic) -> None:
    """Add a repeat of an earlier document of the topic after the prefetched cards, if one is due."""
    plan = plan_of(topic.campaign)
    desk = Desk(topic.number, judge.username, plan.seed)
    docno = repeat_due(stream_of(judge, topic), plan.repeat_share / 100, DISTANCE, desk)
    queue = QueueEntry.objects.filter(judge=judge, topic=topic)
    ahead = queue.filter(state=QueueEntry.State.OPEN)[: ON_DESK + 1]
    if docno and len(ahead) > ON_DESK:  # near the end of a topic a repeat would be recognisable
        original = queue.get(pooled__docno=docno, kind=QueueEntry.Kind.JUDGING)
        QueueEntry.objects.get_or_create(
            judge=judge,
            topic=topic,
            pooled=original.pooled,
            kind=QueueEntry.Kind.REPEAT,
            defaults={"place": ahead[ON_DESK].place},  # it comes before the document at this place
        )

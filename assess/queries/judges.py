"""How far a judge is: told to the judge alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.prepared import Prepared
from assess.event_columns import REFUSED, summed
from assess.models import Assignment, Judgment, QueueEntry
from assess.queries.cards import AWAY, DONE, OPEN, topics_of
from assess.queries.earlier_texts import of_earlier_texts
from assess.queries.event_logs import events_of, labels_of
from assess.queries.probes import no_probe
from assess.queries.queues import assignments_of, is_live, live_order
from pooling.models import Campaign, PooledDocument, Topic

PACE_OVER = 200  # the last labels, of which the pace is the median


class MyTopic(NamedTuple):
    """How far a judge is with a topic. total: what will be theirs; of a shared topic what is open too."""

    topic: Topic
    judged: int
    total: int
    postponed: int = 0
    refused: int = 0
    parts: Sequence[str] = ()
    last_at: datetime | None = None

    @property
    def left(self) -> int:
        return max(0, self.total - self.judged)


class Pace(NamedTuple):
    """seconds: the median of the judge's last labels, None before there is one."""

    today: int
    seconds: float | None


def done_of(judge: User, topic: Topic) -> MyTopic:
    """Return how far the judge is with one topic."""
    counted = dict(_counted(judge.pk, topic.pk))
    judged = counted.get(DONE, 0)
    return MyTopic(topic, judged, judged + counted.get(OPEN, 0) + unclaimed(judge, topic))


@Prepared
def _counted(judge: int, topic: int) -> QuerySet[QueueEntry, tuple[str, int]]:
    queue = QueueEntry.objects.filter(judge=judge, topic=topic).order_by()
    return queue.values_list("state").annotate(n=Count("*"))  # read from the index alone


def my_topics(judge: User, campaign: Campaign) -> list[MyTopic]:
    """Return the judge's topics in campaign order, with what is done and what waits."""
    queue = QueueEntry.objects.filter(judge=judge, topic__campaign=campaign).order_by()
    counted = Counter(
        {(topic, state): n for topic, state, n in _sizes(queue, "topic", "state")}
    )  # of the index
    postponed = Counter(dict(_sizes(queue.filter(state=OPEN, postponed__gt=0), "topic")))
    labels, deeds = labels_of(campaign, judge), events_of(campaign, judge)
    refusals = Counter(labels.topic[labels.relevance == REFUSED].tolist())
    last = {topic: at for (topic,), (at,) in summed([deeds.topic], deeds.at, how=np.maximum)}
    parts: dict[int, list[str]] = {}
    grows = set()
    assignments = Assignment.objects.filter(judge=judge, topic__campaign=campaign).select_related("pool")
    for assignment in assignments:
        named = parts.setdefault(assignment.topic_id, [])
        if assignment.part not in named:
            named.append(assignment.part)
        if assignment.part == Assignment.Part.SHARED or is_live(assignment.pool):
            grows.add(assignment.topic_id)
    found = []
    for topic in topics_of(judge, campaign):
        judged, waiting = counted[topic.pk, DONE], counted[topic.pk, OPEN]
        more = unclaimed(judge, topic) if topic.pk in grows else 0
        found.append(
            MyTopic(
                topic,
                judged,
                judged + waiting + more,
                postponed[topic.pk],
                refusals[topic.pk],
                parts.get(topic.pk, ()),
                datetime.fromtimestamp(last[topic.pk], UTC) if topic.pk in last else None,
            )
        )
    return found


def _sizes(queue: QuerySet[QueueEntry], *by: str) -> QuerySet[QueueEntry, tuple[Any, ...]]:
    return queue.values_list(*by).annotate(n=Count("*"))


def pace_of(judge: User, campaign: Campaign) -> Pace:
    """Return how many labels the judge gave today, and how long one takes."""
    deeds = events_of(campaign, judge)
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    seconds = deeds.seconds[~np.isnan(deeds.seconds)][-PACE_OVER:].tolist()
    today = int((deeds.at >= midnight.timestamp()).sum())
    return Pace(today, median(seconds) if seconds else None)


def my_grades(judge: User, campaign: Campaign) -> Counter[int | None]:
    """Return grade -> how many current labels the judge gave; None is *cannot judge*."""
    given = labels_of(campaign, judge).relevance.tolist()
    return Counter(None if relevance == REFUSED else relevance for relevance in given)


def my_refusals(judge: User, campaign: Campaign, most: int = 20) -> list[Judgment]:
    """Return what the judge could not judge, the newest first: it lies with the organiser."""
    labels = labels_of(campaign, judge)
    newest = np.sort(labels.key[labels.relevance == REFUSED])[-most:]
    refused = Judgment.objects.filter(event__in=newest.tolist())
    return list(refused.select_related("event", "pooled__topic").order_by("-event"))


def with_new_text(judge: User, campaign: Campaign, most: int = 50) -> list[QueueEntry]:
    """Return documents whose text was replaced since the judge labelled them."""
    labels = labels_of(campaign, judge)
    pooled = labels.pooled[of_earlier_texts(campaign, labels)][:most].tolist()
    entries = QueueEntry.objects.filter(judge=judge, pooled__in=pooled, kind=QueueEntry.Kind.JUDGING)
    return list(entries.select_related("pooled", "topic"))


def unclaimed(judge: User, topic: Topic) -> int:
    """Return how many documents are to come that no queue holds yet: of shared topics, and in live orders."""
    count = 0
    for assignment in assignments_of(judge, topic):
        shared = assignment.part == Assignment.Part.SHARED
        if not shared and not is_live(assignment.pool):
            continue
        heap = PooledDocument.objects.filter(topic=topic, pool=assignment.pool_id).filter(no_probe("pk"))
        queues = QueueEntry.objects.filter(topic=topic).exclude(state=AWAY)
        held = queues if shared else queues.filter(judge=judge)
        taken = heap.filter(pk__in=held.values("pooled")).count()  # the queues are read once, not by document
        due = heap.count()
        if is_live(assignment.pool):
            due = min(due, live_order(assignment.pool_id, topic.number).budget)
        count += max(0, due - taken)
    return count


def free_again(judge: User, topic: Topic) -> datetime | None:
    """Return when the next document that another judge of a shared topic has on the desk may come free."""
    shared = Assignment.objects.filter(judge=judge, topic=topic, part=Assignment.Part.SHARED)
    if not shared.exists():
        return None
    desks = QueueEntry.objects.filter(topic=topic, state=OPEN, leased_until__gt=timezone.now())
    return desks.exclude(judge=judge).order_by("leased_until").values_list("leased_until", flat=True).first()

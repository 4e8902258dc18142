"""A judge's own progress, and the judge's home page. They are shown to this judge only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from assess.document_order import MIN_OPEN_CARDS
from assess.double_judging import planned_repeats
from assess.models import Assignment, JudgingPlan, Judgment, JudgmentEvent, Progress, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import AWAY, DONE, OPEN, topics_of_judge
from assess.queries.labels import only_earlier_texts
from assess.queries.queues import assignments_of, grows_live, is_live, judging_plan_of, live_order
from assess.queries.withheld import to_be_queued
from pooling.models import Campaign, Membership, PooledDocument, Role, Topic
from pooling.schedule import zone_of

PACE_LABELS = 200  # number of last labels whose median is the pace


class MyTopic(NamedTuple):
    """A judge's progress on one topic. total: documents of the judge with hidden repeats, and free ones of a
    shared topic."""

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

    @property
    def is_shared(self) -> bool:
        return Assignment.Part.SHARED in self.parts


class Pace(NamedTuple):
    """today: labels of today. seconds: median of the judge's last labels, None before there is one."""

    today: int
    seconds: float | None


def topic_progress(judge: User, topic: Topic, assignments: Sequence[Assignment] | None = None) -> MyTopic:
    """Return the judge's progress on one topic. assignments: those of the judge there, if they are known."""
    queue = QueueEntry.objects.filter(judge=judge, topic=topic).order_by()
    counted = Counter(dict(_sizes(queue, "state")))  # reads the index only
    unqueued = count_unqueued(judge, topic, assignments)
    to_come = repeats_to_come(judge, topic, unqueued)
    return MyTopic(topic, counted[DONE], counted[DONE] + counted[OPEN] + unqueued + to_come)


def repeats_to_come(judge: User, topic: Topic, unqueued: int) -> int:
    """Return how many hidden repeats the judge is still to get on a topic. unqueued: of `count_unqueued`."""
    plan = judging_plan_of(topic.campaign)
    if not plan.repeat_share:
        return 0
    queue = QueueEntry.objects.filter(judge=judge, topic=topic).exclude(state=AWAY)
    sizes = queue.aggregate(
        waiting=Count("pk", filter=Q(state=OPEN)),
        documents=Count("pk", filter=Q(kind=QueueEntry.Kind.JUDGING)),
        repeats=Count("pk", filter=Q(kind=QueueEntry.Kind.REPEAT)),
    )
    return _to_come(plan, sizes["waiting"] + unqueued, sizes["documents"] + unqueued, sizes["repeats"])


def _to_come(plan: JudgingPlan, waiting: int, documents: int, repeats: int) -> int:
    """Return how many planned repeats are not in a queue yet; near the end of a topic none comes any more.

    The total that a judge sees contains them from the beginning: if it grew with each repeat, or if the
    judged documents did not, the judge would learn which documents come twice.
    """
    if waiting <= MIN_OPEN_CARDS:
        return 0
    return max(0, planned_repeats(documents, plan.repeat_share / 100) - repeats)


def my_topics(judge: User, reads: CampaignReads) -> list[MyTopic]:
    """Return the judge's progress on every topic, in campaign order."""
    campaign = reads.campaign
    queue = QueueEntry.objects.filter(judge=judge, topic__campaign=campaign).order_by()
    counted = Counter(
        {(topic, state): n for topic, state, n in _sizes(queue, "topic", "state")}
    )  # reads the index only
    plan, kept = judging_plan_of(campaign), queue.exclude(state=AWAY)
    documents, repeats = (
        Counter(dict(_sizes(kept.filter(kind=kind), "topic"))) if plan.repeat_share else Counter[int]()
        for kind in (QueueEntry.Kind.JUDGING, QueueEntry.Kind.REPEAT)
    )
    postponed = Counter(dict(_sizes(queue.filter(state=OPEN, postponed__gt=0), "topic")))
    own = Progress.objects.filter(judge=judge, topic__campaign=campaign)
    refusals = Counter(dict(_refusals(judge, reads).values_list("pooled__topic").annotate(n=Count("*"))))
    last = dict(own.values_list("topic", "last_at"))
    parts: dict[int, list[str]] = {}
    grows, sampled = set(), set()
    assignments = Assignment.objects.filter(judge=judge, topic__campaign=campaign).select_related("pool")
    for assignment in assignments:
        of_topic = parts.setdefault(assignment.topic_id, [])
        if assignment.part == Assignment.Part.AUDIT:
            sampled.add(assignment.topic_id)
        elif assignment.part not in of_topic:
            of_topic.append(assignment.part)
        if assignment.part == Assignment.Part.SHARED or grows_live(assignment):
            grows.add(assignment.topic_id)
    for topic_id in sampled:  # no judge sees that documents are the sample of an audit, so it adds no role
        parts[topic_id] = parts[topic_id] or [Assignment.Part.SECOND]
    progress = []
    for topic in topics_of_judge(judge, campaign):
        more = count_unqueued(judge, topic) if topic.pk in grows else 0
        judged, waiting = counted[topic.pk, DONE], counted[topic.pk, OPEN] + more
        to_come = _to_come(plan, waiting, documents[topic.pk] + more, repeats[topic.pk])
        progress.append(
            MyTopic(
                topic,
                judged,
                judged + waiting + to_come,
                postponed[topic.pk],
                refusals[topic.pk],
                parts.get(topic.pk, ()),
                last.get(topic.pk),
            )
        )
    return progress


def topic_to_continue(topics: Sequence[MyTopic]) -> MyTopic | None:
    """Return the topic with documents left that the judge labelled last; before any label the first one."""
    with_work = [mine for mine in topics if mine.left]
    begun = [(mine.last_at, mine) for mine in with_work if mine.last_at]
    return max(begun, key=itemgetter(0))[1] if begun else next(iter(with_work), None)


def topic_after(topics: Sequence[MyTopic], topic: Topic) -> MyTopic | None:
    """Return the next topic with documents left, in campaign order; after the last topic the first one."""
    with_work = [mine for mine in topics if mine.left and mine.topic != topic]
    later = (mine for mine in with_work if mine.topic.place > topic.place)
    return next(later, next(iter(with_work), None))


def _sizes(queue: QuerySet[QueueEntry], *by: str) -> QuerySet[QueueEntry, tuple[Any, ...]]:
    return queue.values_list(*by).annotate(n=Count("*"))


def pace_of(judge: User, campaign: Campaign) -> Pace:
    """Return how many documents the judge labelled today, and the seconds of a label.

    A document labelled again counts once; a hidden repeat counts like any other document.
    """
    events = JudgmentEvent.objects.filter(judge=judge, pooled__pool__campaign=campaign).order_by("-pk")
    now = timezone.localtime(timezone=zone_of(campaign.time_zone))
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    timed = events.filter(active_seconds__isnull=False).values_list("active_seconds", flat=True)
    seconds = [each for each in timed[:PACE_LABELS] if each is not None]
    today = events.filter(pressed_at__gte=midnight).order_by().values("pooled", "kind").distinct().count()
    return Pace(today, median(seconds) if seconds else None)


def _labels(judge: User, reads: CampaignReads) -> QuerySet[Judgment]:
    return reads.judgments_of_all().filter(judge=judge).order_by()


def _refusals(judge: User, reads: CampaignReads) -> QuerySet[Judgment]:
    return _labels(judge, reads).filter(relevance__isnull=True)


def own_grades(judge: User, campaign: Campaign, topic: Topic | None = None) -> Counter[int | None]:
    """Return grade -> number of documents that the judge has judged; None is *cannot judge*.

    Gold documents and hidden repeats count as all other documents, so that the sum is the number of judged
    documents and does not reveal them.
    """
    within: dict[str, Any] = {"topic": topic} if topic else {"topic__campaign": campaign}
    done = QueueEntry.objects.filter(judge=judge, state=DONE, **within).order_by()
    ordinary = done.filter(kind=QueueEntry.Kind.JUDGING).values("pooled")
    labels = Judgment.objects.filter(judge=judge, pooled__in=ordinary).order_by()
    counts = Counter(labels.values_list("relevance", flat=True))
    special = set(done.exclude(kind=QueueEntry.Kind.JUDGING).values_list("pooled", "kind"))
    if special:
        pooled = {pk for pk, _ in special}
        events = JudgmentEvent.objects.filter(judge=judge, pooled__in=pooled).order_by()
        rows = events.values_list(*JudgmentEvent.PRESS_ORDER, "pooled", "kind", "relevance")
        latest = {(pk, kind): relevance for *_, pk, kind, relevance in sorted(rows, key=lambda row: row[:2])}
        counts.update(latest[key] for key in special if key in latest)
    return counts


def my_refusals(judge: User, reads: CampaignReads, most: int = 20) -> list[Judgment]:
    """Return the judge's current *cannot judge* labels, newest first."""
    refused = _refusals(judge, reads).select_related("event", "pooled__topic")
    return list(refused.order_by("-event__pressed_at", "-event")[:most])


def with_new_text(judge: User, reads: CampaignReads, most: int = 50) -> list[QueueEntry]:
    """Return documents whose text was replaced after the judge labelled them."""
    labels = only_earlier_texts(reads.campaign, _labels(judge, reads))
    pooled = list(labels.order_by("pooled").values_list("pooled", flat=True)[:most])
    entries = QueueEntry.objects.filter(judge=judge, pooled__in=pooled, kind=QueueEntry.Kind.JUDGING)
    return list(entries.select_related("pooled", "topic"))


def count_unqueued(judge: User, topic: Topic, assignments: Sequence[Assignment] | None = None) -> int:
    """Return how many documents of shared topics and live orders will come and are in no queue yet."""
    count = 0
    for assignment in assignments_of(judge, topic) if assignments is None else assignments:
        shared = assignment.part == Assignment.Part.SHARED
        if not shared and not grows_live(assignment):
            continue
        pooled = PooledDocument.objects.filter(to_be_queued(), topic=topic, pool=assignment.pool_id)
        queues = QueueEntry.objects.filter(topic=topic).exclude(state=AWAY)
        relevant_queues = queues if shared else queues.filter(judge=judge)
        taken = pooled.filter(pk__in=relevant_queues.values("pooled")).count()
        due = pooled.count()
        if is_live(assignment.pool):
            due = min(due, live_order(assignment.pool, topic).budget)
        count += max(0, due - taken)
    return count


class JudgeCampaign(NamedTuple):
    """The work of a judge in a campaign. hours: at the judge's pace; None before it is known."""

    campaign: Campaign
    left: int = 0
    topics: int = 0
    hours: float | None = None
    next_topic: MyTopic | None = None


def judge_home(user: User) -> list[JudgeCampaign]:
    """Return the campaigns that are not archived, of a person who is only a judge; none for others."""
    memberships = list(Membership.objects.filter(user=user).exclude(campaign__state=Campaign.State.ARCHIVED))
    if any(membership.role != Role.JUDGE for membership in memberships):
        return []
    campaigns = Campaign.objects.filter(pk__in=[membership.campaign_id for membership in memberships])
    return [_work_in(user, campaign) for campaign in campaigns.order_by("-created_at")]


def _work_in(judge: User, campaign: Campaign) -> JudgeCampaign:
    if not campaign.is_open:
        return JudgeCampaign(campaign)
    with_work = [mine for mine in my_topics(judge, CampaignReads(campaign)) if mine.left]
    left, seconds = sum(mine.left for mine in with_work), pace_of(judge, campaign).seconds
    hours = left * seconds / 3600 if seconds else None
    return JudgeCampaign(campaign, left, len(with_work), hours, topic_to_continue(with_work))

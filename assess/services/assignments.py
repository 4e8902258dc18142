from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.dealing import deal
from assess.models import Assignment, QueueEntry
from assess.queries.probes import no_probe
from assess.queries.queues import held_topics
from assess.services.queues import extend_queue
from pooling.checksum import sha256_of
from pooling.manifest import Plan, pairs_text
from pooling.models import Campaign, Pool, PooledDocument, Topic
from pooling.queries.candidates import new_documents
from pooling.refusals import Refused
from pooling.services.pools import PoolRefused, pool_keys, store_pool
from pooling.services.trail import note


class MoveRefused(Refused):
    """A topic that cannot go from one judge to another; says why."""


def assign(
    judges: Iterable[User],
    topics: Iterable[Topic],
    part: str = Assignment.Part.PRIMARY,
    by: User | None = None,
) -> int:
    """Give each of these topics, in all its pools, to each of these judges; return how many are new.

    Whoever has a topic in a pool already keeps it as it is. Queues fill in steps of a topic and a judge.
    """
    topics, judges = list(topics), list(judges)
    pools = PooledDocument.objects.filter(no_probe("pk"), topic__in=topics).order_by("topic", "pool")
    wanted = [
        Assignment(judge=judge, topic_id=topic, pool_id=pool, part=part)
        for judge in judges
        for topic, pool in pools.values_list("topic", "pool").distinct()
    ]
    with transaction.atomic():
        before = Assignment.objects.count()
        Assignment.objects.bulk_create(wanted, ignore_conflicts=True)
        if new := Assignment.objects.count() - before:
            names, numbers = [judge.username for judge in judges], [topic.number for topic in topics]
            told = f"{', '.join(map(str, judges))}: {len(numbers)} topic{pluralize(len(numbers))}, {part}"
            note(topics[0].campaign, by, "assigned", told, judges=names, topics=numbers, part=part)
    for judge in judges:
        if judge.is_active and part != Assignment.Part.SHARED:
            for topic in topics:
                extend_queue(judge, topic, want=0)
    return new


def share_out(
    judges: Iterable[User], topics: Iterable[Topic], seconds: int = 0, by: User | None = None
) -> int:
    """Deal topics round the judges, each to one primary and `seconds` second judges; return how many are new.

    Who has a topic already keeps it, and it counts. Raises Refused where there are too few judges.
    """
    by_name, by_number = (
        {judge.username: judge for judge in judges},
        {topic.number: topic for topic in topics},
    )
    held = held_topics(by_number.values())
    count = 0
    for dealt in deal(list(by_number), list(by_name), seconds, held):
        part = Assignment.Part.PRIMARY if dealt.primary else Assignment.Part.SECOND
        count += assign([by_name[dealt.judge]], [by_number[dealt.topic]], part, by)
    return count


@transaction.atomic
def move_topic(topic: Topic, giver: User, taker: User, by: User | None = None) -> int:
    """Give a judge's topic to another; return how many documents go over. Raises MoveRefused.

    Every label stays. What the giver has not judged goes to the taker; a label of the giver's that was under
    way still counts.
    """
    given = list(Assignment.objects.filter(topic=topic, judge=giver))
    if not given or giver == taker:
        raise MoveRefused(f"{giver} does not have topic {topic.number} to give to {taker}.")
    names = {"topic": topic.number, "giver": giver.username, "taker": taker.username}
    note(topic.campaign, by, "moved a topic", f"{topic.number} from {giver} to {taker}", **names)
    count = _leave_the_queue(topic, giver)
    for assignment in given:
        shared = assignment.part != Assignment.Part.SECOND  # a second judge's part is judged anew
        part = Assignment.Part.SHARED if shared else Assignment.Part.SECOND
        taken, new = Assignment.objects.get_or_create(
            judge=taker, topic=topic, pool=assignment.pool, defaults={"part": part}
        )
        if not new and shared and taken.part == Assignment.Part.SECOND:
            Assignment.objects.filter(pk=taken.pk).update(part=part)  # or what is left would be nobody's
        assignment.delete()
    extend_queue(taker, topic, want=0)
    return count


@transaction.atomic
def take_back(topic: Topic, judge: User, by: User | None = None) -> int:
    """End a judge's part in a topic; return how many documents leave the queue. Every label stays."""
    ended, _ = Assignment.objects.filter(topic=topic, judge=judge).delete()
    if ended:
        names = {"topic": topic.number, "judge": judge.username}
        note(topic.campaign, by, "took a topic back", f"{topic.number} from {judge}", **names)
    return _leave_the_queue(topic, judge)


def _leave_the_queue(topic: Topic, judge: User) -> int:
    queue = QueueEntry.objects.filter(topic=topic, judge=judge, state=QueueEntry.State.OPEN)
    ordinary = queue.filter(kind=QueueEntry.Kind.JUDGING).count()
    queue.update(state=QueueEntry.State.AWAY)
    return ordinary


def top_up(campaign: Campaign, user: User, k: int) -> Pool:
    """Pool what stands unjudged and unpooled among the first k of any run. Raises PoolRefused."""
    earlier, runs = pool_keys(campaign), list(campaign.runs.all())
    candidates, new = new_documents(campaign, runs, Plan("depth", {"k": k}))
    pooled = candidates.pooled(new)
    if not pooled:
        raise PoolRefused(f"The first {k} documents of every run are pooled already.")
    manifest = {
        "strategy": "holes",
        "parameters": {"k": k},
        "runs": [{"tag": run.tag, "group": run.group, "sha256": run.sha256} for run in runs],
        "documents": sum(map(len, pooled.values())),
        "topics": len(pooled),
        "sha256": sha256_of(pairs_text(pooled)),
    }
    return store_pool(campaign, user, manifest, pooled, runs, earlier)

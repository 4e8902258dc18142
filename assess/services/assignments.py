from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from django.db import transaction
from django.template.defaultfilters import pluralize
from django.utils import timezone

from accounts.models import User
from assess.allocation import allocate_topics
from assess.models import Assignment, AuditedDocument, Judgment, QueueEntry
from assess.queries.gold import not_gold_or_training
from assess.queries.queues import judges_by_topic
from assess.services.queues import extend_queue
from pooling.checksum import sha256_of
from pooling.manifest import PoolPlan, entry_of_run, pairs_text
from pooling.models import Campaign, Pool, PooledDocument, Topic
from pooling.queries.documents import pool_keys
from pooling.queries.drafts import select_new_documents
from pooling.queries.reads import PoolingReads
from pooling.queries.topics import topics_to_top_up
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.pools import PoolRefused, store_pool


class MoveRefused(Refused):
    """A topic cannot move from one judge to another; the message says why."""


def assign(
    judges: Iterable[User],
    topics: Iterable[Topic],
    part: str = Assignment.Part.PRIMARY,
    by: User | None = None,
) -> int:
    """Assign every topic, in all its pools, to every judge. Return the number of new assignments.

    Existing assignments do not change. Queues are filled afterwards, one topic and judge at a time.
    """
    topics, judges = list(topics), list(judges)
    pools = PooledDocument.objects.filter(not_gold_or_training("pk"), topic__in=topics).order_by(
        "topic", "pool"
    )
    wanted = [
        Assignment(judge=judge, topic_id=topic, pool_id=pool, part=part)
        for judge in judges
        for topic, pool in pools.values_list("topic", "pool").distinct()
    ]
    with transaction.atomic():
        if new := store_assignments(wanted):
            names, numbers = [judge.username for judge in judges], [topic.number for topic in topics]
            summary = f"{', '.join(map(str, judges))}: {len(numbers)} topic{pluralize(len(numbers))}, {part}"
            log_change(topics[0].campaign, by, "assigned", summary, judges=names, topics=numbers, part=part)
    for judge in judges:
        if judge.is_active and part != Assignment.Part.SHARED:
            for topic in topics:
                extend_queue(judge, topic, want=0)
    return new


def store_assignments(wanted: Collection[Assignment]) -> int:
    """Store assignments; return how many are new. Existing ones stay, but a sample is replaced by more."""
    samples = Assignment.objects.filter(part=Assignment.Part.AUDIT)
    samples = samples.filter(judge__in={each.judge_id for each in wanted})
    samples = samples.filter(topic__in={each.topic_id for each in wanted})
    part_of = {(each.judge_id, each.topic_id, each.pool_id): each.part for each in wanted}
    replaced = 0
    for sample in samples:
        part = part_of.get((sample.judge_id, sample.topic_id, sample.pool_id), Assignment.Part.AUDIT)
        if part != Assignment.Part.AUDIT:
            Assignment.objects.filter(pk=sample.pk).update(part=part, assigned_at=timezone.now())
            replaced += 1
    before = Assignment.objects.count()
    Assignment.objects.bulk_create(wanted, ignore_conflicts=True)
    return Assignment.objects.count() - before + replaced


def distribute_topics(
    judges: Iterable[User], topics: Iterable[Topic], seconds: int = 0, by: User | None = None
) -> int:
    """Distribute topics evenly: each gets one primary and `seconds` second judges.

    Return the number of new assignments. Existing assignments stay and count towards the balance. Raises
    Refused if there are too few judges.
    """
    by_name = {judge.username: judge for judge in judges}
    by_number = {topic.number: topic for topic in topics}
    existing = judges_by_topic(by_number.values())
    count = 0
    for allocation in allocate_topics(list(by_number), list(by_name), seconds, existing):
        part = Assignment.Part.PRIMARY if allocation.primary else Assignment.Part.SECOND
        count += assign([by_name[allocation.judge]], [by_number[allocation.topic]], part, by)
    return count


@transaction.atomic
def assign_as_planned(plan: Mapping[Topic, User], by: User | None = None) -> int:
    """Give each topic to the judge whom the plan names, as its primary judge. Return the new assignments.

    A topic that has got a primary or sharing judge since the plan was made is left out.
    """
    if not plan:
        return 0
    campaign = next(iter(plan)).campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one distribution at a time
    judges = judges_by_topic(plan)
    topics_of: dict[User, list[Topic]] = {}
    for topic, judge in plan.items():
        if topic.number in judges and judges[topic.number].first:
            continue
        topics_of.setdefault(judge, []).append(topic)
    return sum(assign([judge], topics, by=by) for judge, topics in topics_of.items())


EXTENT: dict[str, int] = {
    Assignment.Part.AUDIT: 0,
    Assignment.Part.SECOND: 1,
    Assignment.Part.SHARED: 2,
    Assignment.Part.PRIMARY: 2,
}


@transaction.atomic
def move_topic(topic: Topic, previous_judge: User, new_judge: User, by: User | None = None) -> int:
    """Move a topic from one judge to another. Return the number of documents that move. Raises MoveRefused.

    Every label stays. Documents that the previous judge has not judged go to the new judge, who as a primary
    judge has them already. A label of the previous judge that is still on its way to the server counts.

    The new judge of a primary judge shares the topic, so that no document is judged again; but after a judge
    who has labelled nothing there, the new one is the primary judge. The labels of other primary judges who
    have left count as shared ones.
    """
    assignments = list(Assignment.objects.filter(topic=topic, judge=previous_judge))
    if not assignments or previous_judge == new_judge:
        raise MoveRefused(
            f"Topic {topic.number} cannot move from {previous_judge} to {new_judge}:"
            f" {previous_judge} does not have it."
        )
    names = {"topic": topic.number, "giver": previous_judge.username, "taker": new_judge.username}
    log_change(
        topic.campaign, by, "moved a topic", f"{topic.number} from {previous_judge} to {new_judge}", **names
    )
    count = _remove_from_queue(topic, previous_judge)
    labels = Judgment.objects.filter(judge=previous_judge, pooled__topic=topic)
    begun = set(labels.order_by().values_list("pooled__pool", flat=True).distinct())
    complete = Assignment.objects.filter(topic=topic, judge=new_judge, part=Assignment.Part.PRIMARY)
    if {each.pool_id for each in assignments} <= set(complete.values_list("pool", flat=True)):
        count = 0
    for assignment in assignments:
        part = assignment.part
        if part == Assignment.Part.PRIMARY and assignment.pool_id in begun:
            part = Assignment.Part.SHARED
        target, created = Assignment.objects.get_or_create(
            judge=new_judge, topic=topic, pool=assignment.pool, defaults={"part": part}
        )
        if not created and EXTENT[target.part] < EXTENT[part]:
            Assignment.objects.filter(pk=target.pk).update(part=part)  # else no judge would get what is left
        assignment.delete()
    _move_samples(topic, previous_judge, new_judge)
    extend_queue(new_judge, topic, want=0)
    return count


def _move_samples(topic: Topic, previous_judge: User, new_judge: User) -> None:
    """Give the sampled documents of audits that one judge has not judged to another."""
    for document in _take_samples(topic, previous_judge):
        document.judges.add(new_judge)


def _take_samples(topic: Topic, judge: User) -> list[AuditedDocument]:
    """Take the sampled documents of audits that a judge has not judged from the judge, and return them."""
    judged = Judgment.objects.filter(judge=judge, pooled__topic=topic)
    sampled = AuditedDocument.objects.filter(judges=judge, pooled__topic=topic)
    taken = list(sampled.exclude(pooled__in=judged.values("pooled")))
    for document in taken:
        document.judges.remove(judge)
    return taken


@transaction.atomic
def unassign_topic(topic: Topic, judge: User, by: User | None = None) -> int:
    """Remove a topic from a judge. Return the number of documents that leave the queue. Every label stays.

    Sampled documents of an audit leave, too: a later assignment does not bring them back, because another
    judge may have got them.
    """
    _take_samples(topic, judge)
    deleted, _ = Assignment.objects.filter(topic=topic, judge=judge).delete()
    if deleted:
        names = {"topic": topic.number, "judge": judge.username}
        log_change(topic.campaign, by, "took a topic back", f"{topic.number} from {judge}", **names)
    return _remove_from_queue(topic, judge)


def _remove_from_queue(topic: Topic, judge: User) -> int:
    """Remove open entries from the queue of a judge. Return how many of them were ordinary documents."""
    queue = QueueEntry.objects.filter(topic=topic, judge=judge, state=QueueEntry.State.OPEN)
    ordinary = queue.filter(kind=QueueEntry.Kind.JUDGING).count()
    queue.update(state=QueueEntry.State.AWAY)
    return ordinary


def top_up(campaign: Campaign, user: User, k: int) -> Pool:
    """Freeze a pool of the unpooled documents among the first k of every run, for topics with pooled ones.

    Raises PoolRefused.
    """
    earlier, runs = pool_keys(campaign), list(campaign.runs.active())
    plan = PoolPlan("depth", {"k": k}, topics=topics_to_top_up(campaign))
    candidates, new = select_new_documents(PoolingReads(campaign), runs, plan)
    pooled = candidates.pooled(new)
    if not pooled:
        raise PoolRefused(
            f"The first {k} documents of every run are already in a pool, so there is nothing to add."
        )
    manifest = {
        "strategy": Pool.UNJUDGED,
        "parameters": {"k": k},
        "runs": [entry_of_run(run, run.sha256) for run in runs],
        "documents": sum(map(len, pooled.values())),
        "topics": len(pooled),
        "sha256": sha256_of(pairs_text(pooled)),
    }
    if plan.topics is not None:
        manifest["chosen_topics"] = list(plan.topics)
    return store_pool(campaign, user, manifest, pooled, runs, earlier)

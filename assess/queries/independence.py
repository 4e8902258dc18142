"""What a judge with further roles may not see, and what judges are called where their names are not shown."""

from __future__ import annotations

from django.db.models import Exists, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from assess.models import Assignment, Judgment, JudgmentEvent, QueueEntry
from assess.queries.caching import cached, label_version
from assess.queries.probes import no_probe
from assess.queries.queues import is_live, plan_of
from pooling.models import Campaign, PooledDocument, Role

Kind, State, Part = QueueEntry.Kind, QueueEntry.State, Assignment.Part
STILL_TO_JUDGE = (
    "You are still to judge this document yourself, so you cannot see anybody's label of it. Judge it first."
)
SEE_NAMES = frozenset({Role.ORGANISER, Role.ADJUDICATOR})


def hidden_from(user: User, campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return the documents of which this person may not see anybody's label: they are still to judge them.

    These are open in their queue, or can still come into it: of a topic that they share with others, of a
    live order, and of an overlap that is drawn by the labels of others. It holds whatever other roles they
    have. Released qrels are published results, not labels of a judge: they are not hidden.
    """
    queue = QueueEntry.objects.filter(judge=user, topic__campaign=campaign)
    pooled = PooledDocument.objects.filter(pool__campaign=campaign)
    still_open = Q(pk__in=queue.filter(state=State.OPEN).values("pooled"))
    growing = _growing(user, campaign)
    if not growing:
        return pooled.filter(still_open)
    kept_entry = Exists(queue.filter(pooled=OuterRef("pk"), kind=Kind.JUDGING).exclude(state=State.AWAY))
    to_come = Q(pk__in=[])
    for assignment in growing:
        part = Q(topic=assignment.topic_id, pool=assignment.pool_id)
        if assignment.part == Part.SHARED:
            part &= ~Q(Exists(_taken_by_others(assignment)))
        to_come |= part
    return pooled.filter(still_open | (to_come & ~Q(kept_entry)))


def _growing(user: User, campaign: Campaign) -> list[Assignment]:
    """Return this person's assignments of which not all documents are in their queue yet."""
    assignments = Assignment.objects.filter(judge=user, topic__campaign=campaign).select_related("pool")
    open_ended = {Part.SHARED} | ({Part.SECOND} if plan_of(campaign).overlap == "stratified" else set())
    found = assignments.defer("pool__manifest", "pool__parameters")
    return [each for each in found if each.part in open_ended or is_live(each.pool)]


def _taken_by_others(assignment: Assignment) -> QuerySet[QueueEntry]:
    """Return the entries of other judges who share the topic: their documents do not come to this judge."""
    not_shared = Assignment.objects.filter(topic=assignment.topic_id, pool=assignment.pool_id).exclude(
        part=Part.SHARED
    )
    entries = QueueEntry.objects.filter(pooled=OuterRef("pk"), kind=Kind.JUDGING).exclude(state=State.AWAY)
    expired = Q(state=State.OPEN, leased_until__lt=timezone.now())
    return (
        entries.exclude(judge=assignment.judge_id)
        .exclude(judge__in=not_shared.values("judge"))
        .exclude(expired)
    )


def hidden_keys(user: User, campaign: Campaign) -> frozenset[int]:
    """Return the keys of what `hidden_from` returns."""
    return frozenset(hidden_from(user, campaign).order_by().values_list("pk", flat=True))


def count_hidden_labels(user: User, campaign: Campaign) -> int:
    """Return how many labels a list of all labels leaves out for this person."""
    return Judgment.objects.filter(no_probe(), pooled__in=hidden_from(user, campaign)).count()


def sees_names(campaign: Campaign) -> bool:
    """Tell whether the person who asks may see the judges' names: organisers and adjudicators may."""
    return bool(campaign.my_roles & SEE_NAMES)


def judge_numbers(campaign: Campaign) -> dict[str, str]:
    """Return what `read_judge_numbers` does, cached until the next label."""
    return cached(campaign, "judge-numbers", label_version(campaign), lambda: read_judge_numbers(campaign))


def read_judge_numbers(campaign: Campaign) -> dict[str, str]:
    """Return username -> "judge 1", "judge 2" and so on; machines are counted apart, as "machine 1".

    Numbers follow the first label of each judge in this campaign. Labels are never deleted, so a number
    never changes, and it says nothing about the name.
    """
    events = JudgmentEvent.objects.filter(pooled__topic__campaign=campaign).order_by()
    first = dict(events.values_list("judge").annotate(first=Min("pk")))
    names = dict(User.objects.filter(pk__in=first).values_list("pk", "username"))
    machines = set(campaign.machines.order_by().values_list("user", flat=True))
    numbers: dict[str, str] = {}
    in_order = sorted(first, key=lambda judge: first[judge])
    for word, are_machines in (("judge", False), ("machine", True)):
        judges = [names[judge] for judge in in_order if (judge in machines) == are_machines]
        numbers |= {judge: f"{word} {number}" for number, judge in enumerate(judges, start=1)}
    return numbers

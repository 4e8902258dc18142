"""Independence of judges: documents hidden from a user, and numbers that stand for judges' names."""

from __future__ import annotations

from django.db.models import Exists, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from assess.models import Assignment, Judgment, JudgmentEvent, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.gold import not_gold_or_training
from assess.queries.queues import is_live, judging_plan_of
from pooling.models import Campaign, PooledDocument, Role

Kind, State, Part = QueueEntry.Kind, QueueEntry.State, Assignment.Part
STILL_TO_JUDGE = (
    "You are still to judge this document yourself, so you cannot see any label of it. Judge it first."
)
SEE_NAMES = frozenset({Role.ORGANISER, Role.ADJUDICATOR})


def hidden_from(user: User, campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return the documents whose labels this user may not see, because the user is still to judge them.

    They are open in the user's queue, or can still come into it: documents of a shared topic, of a live
    order, and of an overlap that depends on the labels of others. Other roles of the user change nothing.
    Released qrels are published results, not labels of a judge: they are not hidden.
    """
    queue = QueueEntry.objects.filter(judge=user, topic__campaign=campaign)
    pooled = PooledDocument.objects.filter(pool__campaign=campaign)
    still_open = Q(pk__in=queue.filter(state=State.OPEN).values("pooled"))
    growing = _growing(user, campaign)
    if not growing:
        return pooled.filter(still_open)
    has_entry = Exists(queue.filter(pooled=OuterRef("pk"), kind=Kind.JUDGING).exclude(state=State.AWAY))
    to_come = Q(pk__in=[])
    for assignment in growing:
        part = Q(topic=assignment.topic_id, pool=assignment.pool_id)
        if assignment.part == Part.SHARED:
            part &= ~Q(Exists(_taken_by_others(assignment)))
        to_come |= part
    return pooled.filter(still_open | (to_come & ~Q(has_entry)))


def _growing(user: User, campaign: Campaign) -> list[Assignment]:
    """Return this user's assignments whose queue can still grow."""
    assignments = Assignment.objects.filter(judge=user, topic__campaign=campaign).exclude(part=Part.AUDIT)
    open_ended = {Part.SHARED} | (
        {Part.SECOND} if judging_plan_of(campaign).overlap == "stratified" else set()
    )
    assignments = assignments.select_related("pool").defer("pool__manifest", "pool__parameters")
    return [each for each in assignments if each.part in open_ended or is_live(each.pool)]


def _taken_by_others(assignment: Assignment) -> QuerySet[QueueEntry]:
    """Return the entries of other judges of a shared topic: this judge does not get their documents."""
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
    """Return the keys of the documents of `hidden_from`."""
    return frozenset(hidden_from(user, campaign).order_by().values_list("pk", flat=True))


def count_hidden_labels(user: User, campaign: Campaign) -> int:
    """Return how many labels are left out of a list of all labels for this user."""
    return Judgment.objects.filter(not_gold_or_training(), pooled__in=hidden_from(user, campaign)).count()


def sees_names(campaign: Campaign) -> bool:
    """Return whether the current user may see judges' names: organisers and adjudicators may."""
    return bool(campaign.my_roles & SEE_NAMES)


def judge_numbers(reads: CampaignReads) -> dict[str, str]:
    """Return the result of `read_judge_numbers`, cached until the next label."""
    return reads.cached("judge-numbers", reads.version, lambda: read_judge_numbers(reads.campaign))


def read_judge_numbers(campaign: Campaign) -> dict[str, str]:
    """Return username -> "judge 1", "judge 2" and so on; machines are "machine 1" and so on.

    Numbers follow the first label of each judge in this campaign. Labels are never deleted, so a number never
    changes, and it does not depend on the name.
    """
    events = JudgmentEvent.objects.filter(pooled__topic__campaign=campaign).order_by()
    first = dict(events.values_list("judge").annotate(first=Min("pk")))
    names = dict(User.objects.filter(pk__in=first).values_list("pk", "username"))
    machines = set(campaign.sources.programs().order_by().values_list("user", flat=True))
    numbers: dict[str, str] = {}
    in_order = sorted(first, key=lambda judge: first[judge])
    for word, are_machines in (("judge", False), ("machine", True)):
        judges = [names[judge] for judge in in_order if (judge in machines) == are_machines]
        numbers |= {judge: f"{word} {number}" for number, judge in enumerate(judges, start=1)}
    return numbers

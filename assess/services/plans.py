from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from assess.models import Assignment, JudgingPlan, QueueEntry
from assess.queries.queues import has_begun, plan_of
from assess.services.queues import extend_queue
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.trail import note

FIXED = frozenset({"order", "seed", "burn_in"})
OVERLAP = frozenset({"overlap", "overlap_share", "overlap_count"})


class PlanLocked(Refused):
    """An order that cannot change any more, because somebody has labelled in it."""


@transaction.atomic
def change_plan(campaign: Campaign, by: User | None = None, **fields: Any) -> JudgingPlan:
    """Change how a campaign is judged. Raises PlanLocked for order, seed and burn-in after the first label.

    Before it every queue is laid anew. After it a new overlap rule only adds: what second judges have stays.
    """
    plan, begun = plan_of(campaign), has_begun(campaign)
    changed = {field for field, value in fields.items() if getattr(plan, field) != value}
    if begun and changed & FIXED:
        raise PlanLocked("Somebody has labelled already: order, seed and burn-in stay as they are.")
    told = {field: {"was": getattr(plan, field), "is": fields[field]} for field in sorted(changed)}
    for field in changed:
        setattr(plan, field, fields[field])
    plan.save()
    if told:
        sentence = ", ".join(f"{field} from {pair['was']} to {pair['is']}" for field, pair in told.items())
        note(campaign, by, "changed the judging plan", sentence, **told)
    if changed & (FIXED | OVERLAP):
        _lay_anew(campaign, begun)
    return plan


def _lay_anew(campaign: Campaign, begun: bool) -> None:
    held = Assignment.objects.filter(topic__campaign=campaign, judge__is_active=True)
    if begun:
        held = held.filter(part=Assignment.Part.SECOND)
    else:
        waiting = QueueEntry.objects.filter(topic__campaign=campaign, state=QueueEntry.State.OPEN)
        waiting.update(state=QueueEntry.State.AWAY)
    topics = {topic.pk: topic for topic in campaign.topics.all()}
    judges = User.objects.in_bulk(held.values_list("judge", flat=True))
    for judge, topic in dict.fromkeys(held.values_list("judge", "topic")):
        extend_queue(judges[judge], topics[topic], want=0)

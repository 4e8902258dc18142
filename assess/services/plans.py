from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from assess.models import Assignment, JudgingPlan, QueueEntry, Source
from assess.queries.audits import why_no_machine_grades
from assess.queries.queues import has_begun, judging_plan_of
from assess.services.queues import extend_queue
from pooling.models import Campaign
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change

FIXED_AFTER_FIRST_LABEL = frozenset({"order", "seed", "burn_in", "triage_machine"})
OVERLAP_FIELDS = frozenset({"overlap", "overlap_share", "overlap_count"})


class PlanLocked(Conflict):
    """The document order cannot change, because a judge has already labelled documents in it."""


class GradesNotShown(Conflict):
    """Judges cannot see the grades of a machine judge, because they would recognise documents of an audit."""


@transaction.atomic
def change_plan(campaign: Campaign, by: User | None = None, **fields: Any) -> JudgingPlan:
    """Change the judging plan. Raises PlanLocked for order, seed and burn-in after the first label.

    Raises GradesNotShown for the grades of a machine judge on screen while people judge an audit.

    Before the first label every queue is rebuilt. Afterwards a new overlap rule only adds documents: the
    queues of second judges lose nothing.
    """
    plan, begun = judging_plan_of(campaign), has_begun(campaign)
    changed = {field for field, value in fields.items() if getattr(plan, field) != value}
    if begun and changed & FIXED_AFTER_FIRST_LABEL:
        raise PlanLocked(
            "A judge has already labelled documents, so order, random seed and warm-up cannot change."
        )
    if "shown_machine" in changed and fields["shown_machine"]:
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # against an audit that is drawn meanwhile
        if why := why_no_machine_grades(campaign):
            raise GradesNotShown(why)
    changes = {
        field: {"was": _logged(getattr(plan, field)), "is": _logged(fields[field])}
        for field in sorted(changed)
    }
    for field in changed:
        setattr(plan, field, fields[field])
    plan.save()
    if changes:
        sentence = ", ".join(f"{field} from {pair['was']} to {pair['is']}" for field, pair in changes.items())
        log_change(campaign, by, "changed the judging plan", sentence, **changes)
    if changed & (FIXED_AFTER_FIRST_LABEL | OVERLAP_FIELDS):
        _rebuild_queues(campaign, begun)
    return plan


def _logged(value: Any) -> Any:
    """Return a value of the plan as the audit log has it: machine judges by name."""
    return value.user.username if isinstance(value, Source) else value


def _rebuild_queues(campaign: Campaign, begun: bool) -> None:
    assignments = Assignment.objects.filter(topic__campaign=campaign, judge__is_active=True)
    if begun:
        assignments = assignments.filter(part=Assignment.Part.SECOND)
    else:
        waiting = QueueEntry.objects.filter(topic__campaign=campaign, state=QueueEntry.State.OPEN)
        waiting.update(state=QueueEntry.State.AWAY)
    topics = {topic.pk: topic for topic in campaign.topics.all()}
    judges = User.objects.in_bulk(assignments.values_list("judge", flat=True))
    for judge, topic in dict.fromkeys(assignments.values_list("judge", "topic")):
        extend_queue(judges[judge], topics[topic], want=0)

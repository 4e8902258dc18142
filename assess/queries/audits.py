"""What the core asks of the audits of machine judges: whether grades may be shown, and verdicts on a use."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from assess.models import AuditedDocument, JudgingPlan, Judgment, MachineAudit, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import use_verdicts
from assess.queries.sources import of_people
from assess.release.machine_use import MachineUse, use_of
from assess.release.plan import ReleasePlan
from pooling.models import Campaign


def why_no_audit(campaign: Campaign) -> str:
    """Return why judges get no sampled documents now; "" if they can.

    Sampled documents show no grade of a machine judge: where others show one, judges would recognise them.
    """
    if not JudgingPlan.objects.filter(campaign=campaign, shown_machine__isnull=False).exists():
        return ""
    return (
        "Judges see the grades of a machine judge now, and would recognise sampled documents, which show"
        " none. Switch off “Machine grade on screen” in the plan first."
    )


def why_no_machine_grades(campaign: Campaign) -> str:
    """Return why judges cannot see the grades of a machine judge now; "" if they can."""
    people = Judgment.objects.filter(of_people(), pooled=OuterRef("pooled"))
    entries = QueueEntry.objects.filter(kind=QueueEntry.Kind.JUDGING, state=QueueEntry.State.OPEN)
    waiting = entries.filter(pooled=OuterRef("pooled"), judge__audited=OuterRef("pk"))
    unjudged = AuditedDocument.objects.filter(~Exists(people) | Q(Exists(waiting)), audit__campaign=campaign)
    audit = MachineAudit.objects.filter(documents__in=unjudged).select_related("machine__user").first()
    if audit is None:
        return ""
    return (
        f"{audit} has sampled documents that people are still to judge. They show no grade, so that judges"
        " would recognise them where others show one. Grades can be shown after people have judged the"
        " sample."
    )


def machine_uses(reads: CampaignReads, plan: ReleasePlan) -> list[MachineUse]:
    """Return the machine judges that a plan names, each with the verdict on its use."""
    return [
        next(
            (use for verdict in use_verdicts if (use := verdict(reads, machine, plan))),
            MachineUse(machine.user.username, str(machine.user), use_of(plan)),
        )
        for machine in sorted(reads.machines, key=lambda machine: machine.pk)
        if machine.user.username in plan.named_machines
    ]

"""Audits without a verdict, for the overview of a campaign."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from assess.models import MachineAudit
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import Task
from metrics.machine_audits.queries.samples import audited_sample, audits_of
from metrics.machine_audits.verdict import MOST_MISSING
from pooling.words import counted


def audits_without_verdict(reads: CampaignReads) -> Iterator[Task]:
    """Yield a task for each machine judge whose newest audit lacks grades of people."""
    newest: dict[int, MachineAudit] = {}
    for audit in audits_of(reads.campaign).filter(machine__withdrawn_at=None).order_by("number"):
        newest[audit.machine_id] = audit
    for audit in newest.values():
        graded = audited_sample(reads, audit).graded
        missing = int(len(graded) - graded.sum())
        if missing > MOST_MISSING * len(graded):
            yield Task(
                f"Audit {audit.number} of {audit.machine.user} has no verdict yet",
                f"{counted(missing, 'sampled document')} of {len(graded):,} without a grade of people",
                reverse("metrics:machine_audit", args=[reads.campaign.slug, audit.number]),
                "Audit",
            )

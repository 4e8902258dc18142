"""Audits that wait for grades or have a verdict to read, for the overview of a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Max
from django.urls import reverse

from assess.models import Judgment, MachineAudit
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import Task
from assess.queries.sources import of_people
from metrics.machine_audits.queries.samples import audited_sample, audits_of
from metrics.machine_audits.verdict import MOST_MISSING
from pooling.words import counted


def tasks_of_audits(reads: CampaignReads) -> Iterator[Task]:
    """Yield for each machine judge whether its newest audit lacks grades, or has a verdict to be read.

    A verdict is to be read until a release is frozen after the last label of the sample.
    """
    newest: dict[int, MachineAudit] = {}
    for audit in audits_of(reads.campaign).filter(machine__withdrawn_at=None).order_by("number"):
        newest[audit.machine_id] = audit
    for audit in newest.values():
        graded = audited_sample(reads, audit).graded
        missing = int(len(graded) - graded.sum())
        url = reverse("metrics:machine_audit", args=[reads.campaign.slug, audit.number])
        if missing > MOST_MISSING * len(graded):
            yield Task(
                f"Audit {audit.number} of {audit.machine.user} has no verdict yet",
                f"{counted(missing, 'sampled document')} of {len(graded):,} without a grade of people",
                url,
                "Audit",
            )
        elif not (reads.latest_release and reads.latest_release.released_at > last_label(audit)):
            yield Task(
                f"Audit {audit.number} of {audit.machine.user} has a verdict",
                f"{len(graded) - missing:,} of {len(graded):,} sampled documents have a grade of people."
                " Read the verdict before the next release.",
                url,
                "Verdict",
            )


def last_label(audit: MachineAudit) -> datetime:
    """Return when the last label of people was given to a sampled document, or when the sample was drawn."""
    labels = Judgment.objects.filter(of_people(), pooled__audited__audit=audit)
    last: datetime | None = labels.aggregate(last=Max("event__pressed_at"))["last"]
    return max(last, audit.created_at) if last else audit.created_at

"""Audits that wait for grades or have a verdict to read, for the overview of a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse

from assess.models import Judgment, MachineAudit, QrelsRelease
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
    audits = dated(audits_of(reads.campaign).filter(machine__withdrawn_at=None))
    newest = {audit.machine_id: audit for audit in audits.order_by("number")}
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
        elif not (audit.last_release and audit.last_release > audit.last_label):
            yield Task(
                f"Audit {audit.number} of {audit.machine.user} has a verdict",
                f"{len(graded) - missing:,} of {len(graded):,} sampled documents have a grade of people."
                " Read the verdict before the next release.",
                url,
                "Verdict",
            )


def dated(audits: QuerySet[MachineAudit]) -> QuerySet[Any]:
    """Return audits with `last_label`, of people on the sample, or when it was drawn, and `last_release`."""
    labels = Judgment.objects.filter(of_people(), pooled__audited__audit=OuterRef("pk"))
    releases = QrelsRelease.objects.standing().filter(campaign=OuterRef("campaign"))
    last = Subquery(labels.order_by("-event__pressed_at").values("event__pressed_at")[:1])
    return audits.annotate(
        last_label=Greatest("created_at", Coalesce(last, "created_at")),
        last_release=Subquery(releases.order_by("-number").values("released_at")[:1]),
    )

"""What the audits of machine judges say about the use that a release makes of their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assess.machine_audit import confusion
from assess.machine_audit.circularity import Circularity, circularities
from assess.machine_audit.confusion import Labelled
from assess.machine_audit.sample import Stratum
from assess.machine_audit.verdict import (
    HOLES,
    MOST_MISSING,
    REPLACING,
    Answer,
    Verdict,
    findings,
    verdict,
)
from assess.models import MachineAudit, MachineJudge
from assess.queries.campaign_reads import CampaignReads
from assess.queries.machine_audits import (
    AuditedSample,
    audited_sample,
    retrieved_by_runs,
    statistical_strata,
)
from assess.release.plan import FILL, ReleasePlan
from pooling.arrays import Flags, IntVector
from pooling.models import Run

DEPTH = 10  # to which a document counts as retrieved by a run
NO_AUDIT = "no audit"


class Graded(NamedTuple):
    """The sampled documents with a grade, as columns, and their design."""

    place: IntVector
    stratum: IntVector
    machine: IntVector
    human: IntVector
    strata: list[Stratum]
    labels: Labelled


def graded_sample(audit: MachineAudit, sample: AuditedSample) -> Graded:
    columns = (sample.place, sample.stratum, sample.machine, sample.human)
    place, stratum, machine, human = (column[sample.graded] for column in columns)
    strata = statistical_strata(audit)
    return Graded(place, stratum, machine, human, strata, confusion.labelled(human, machine, stratum, strata))


def group_members(reads: CampaignReads, runs: Sequence[Run], graded: Graded, depth: int) -> dict[str, Flags]:
    """Return group -> which of the graded documents its runs retrieved, by name."""
    documents, by_group = reads.pooled.where(graded.place), dict[str, list[Run]]()
    for run in runs:
        by_group.setdefault(run.group or run.tag, []).append(run)
    return {group: retrieved_by_runs(reads, by_group[group], depth, documents) for group in sorted(by_group)}


def group_tests(graded: Graded, members: Mapping[str, Flags]) -> dict[str, Circularity]:
    """Return for each group of runs whether the machine over-rates what it retrieved.

    Only with documents that another group retrieved: documents that no run ranks high differ anyway.
    """
    retrieved = np.any([*members.values()], axis=0) if members else np.zeros(len(graded.human), dtype=bool)
    return circularities(
        (graded.human - graded.machine)[retrieved],
        graded.human[retrieved],
        {group: member[retrieved] for group, member in members.items()},
    )


def audit_verdict(
    graded: Graded,
    sampled: int,
    threshold: int,
    tests: Mapping[str, Circularity],
    intervals: Sequence[bool] = (),
    tau: float | None = None,
) -> Verdict | None:
    """Return the verdict; None while too many sampled documents have no grade of people."""
    if sampled - len(graded.human) > MOST_MISSING * sampled:
        return None
    return verdict(findings(graded.labels, sampled, threshold, tests, intervals, tau))


class MachineUse(NamedTuple):
    """A machine judge whose labels a release uses, and what its audit says about this use.

    use: as the verdict names it. answer: of the newest audit with a verdict, *not known yet* if none has one,
    `NO_AUDIT` without an audit. audit: its number, None without one.
    """

    judge: str
    name: str
    use: str
    answer: str
    audit: int | None
    because: str

    @property
    def is_allowed(self) -> bool:
        return self.answer == Answer.ALLOWED

    @property
    def warning(self) -> str:
        """What to read before the labels are used; "" if the audit allows it."""
        if self.answer == NO_AUDIT:
            return f"{self.name} has no audit: nothing says what its labels may be used for."
        return "" if self.is_allowed else f"Audit {self.audit} of {self.name}. {self.because}"


def machine_uses(reads: CampaignReads, plan: ReleasePlan) -> list[MachineUse]:
    """Return the machine judges that a plan names, each with the verdict on its use."""
    machines = [machine for machine in reads.machines if machine.user.username in plan.named_machines]
    return [_use_of(reads, machine, plan) for machine in sorted(machines, key=lambda machine: machine.pk)]


def _use_of(reads: CampaignReads, machine: MachineJudge, plan: ReleasePlan) -> MachineUse:
    fills = plan.machine_use == FILL and not plan.judge
    use, number = HOLES if fills else REPLACING, None
    name = str(machine.user)
    for audit in reads.campaign.machine_audits.filter(machine=machine).order_by("-number"):
        number = number or audit.number
        if stated := _verdict_of(reads, audit):
            row = stated.holes if fills else stated.replacing
            return MachineUse(machine.user.username, name, use, row.answer, audit.number, row.because)
    if number is None:
        return MachineUse(machine.user.username, name, use, NO_AUDIT, None, "")
    because = f"{use}: {Answer.UNKNOWN}, because too few sampled documents have a grade of people."
    return MachineUse(machine.user.username, name, use, Answer.UNKNOWN, number, because)


def _verdict_of(reads: CampaignReads, audit: MachineAudit) -> Verdict | None:
    """Return the verdict on holes and on replacing people: neither needs scores of runs. Cached."""
    version = reads.version, reads.runs_version, reads.release_plan.rule
    return reads.cached(f"audit-verdict-{audit.number}", version, lambda: _compute_verdict(reads, audit))


def _compute_verdict(reads: CampaignReads, audit: MachineAudit) -> Verdict | None:
    campaign, sample = reads.campaign, audited_sample(reads, audit)
    if sample.graded.sum() < 2:
        return None
    graded = graded_sample(audit, sample)
    members = group_members(reads, list(campaign.runs.active()), graded, DEPTH)
    return audit_verdict(graded, len(sample.human), campaign.threshold, group_tests(graded, members))

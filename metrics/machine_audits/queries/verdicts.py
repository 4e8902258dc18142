"""What the audits of machine judges say about the use that a release makes of their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.urls import reverse

from assess.models import MachineAudit, Source
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import SourceFact
from assess.queries.pooled_columns import PooledColumns
from assess.release.machine_use import HOLES, AuditAnswer, MachineUse, use_of
from assess.release.plan import ReleasePlan
from metrics.machine_audits import confusion
from metrics.machine_audits.circularity import (
    ONE_GROUP,
    Circularity,
    ComparedPool,
    Sides,
    circularities,
)
from metrics.machine_audits.confusion import Labelled
from metrics.machine_audits.queries.samples import (
    AuditedSample,
    Population,
    audited_sample,
    population_of,
    retrieved_by_runs,
    statistical_strata,
)
from metrics.machine_audits.sample import SampleStratum
from metrics.machine_audits.verdict import MOST_MISSING, AuditVerdict, findings, verdict
from pooling.arrays import Flags, IntVector
from pooling.models import Run

DEPTH = 10  # to which a document counts as retrieved by a run


class Graded(NamedTuple):
    """The sampled documents with a grade, as columns, and their design."""

    place: IntVector
    stratum: IntVector
    machine: IntVector
    human: IntVector
    strata: list[SampleStratum]
    labels: Labelled


def graded_sample(audit: MachineAudit, sample: AuditedSample) -> Graded:
    columns = (sample.place, sample.stratum, sample.machine, sample.human)
    place, stratum, machine, human = (column[sample.graded] for column in columns)
    strata = statistical_strata(audit)
    return Graded(place, stratum, machine, human, strata, confusion.labelled(human, machine, stratum, strata))


def group_members(
    reads: CampaignReads, runs: Sequence[Run], documents: PooledColumns, depth: int
) -> dict[str, Flags]:
    """Return group -> which of these documents its runs retrieved, by name."""
    by_group = dict[str, list[Run]]()
    for run in runs:
        by_group.setdefault(run.group or run.tag, []).append(run)
    return {group: retrieved_by_runs(reads, by_group[group], depth, documents) for group in sorted(by_group)}


def compared_pool(
    reads: CampaignReads, runs: Sequence[Run], population: Population, depth: int = DEPTH
) -> ComparedPool:
    """Return what the tests of `group_tests` can compare in the population of an audit."""
    members = group_members(reads, runs, population.documents, depth)
    retrieved = np.any([*members.values()], axis=0) if members else np.zeros(population.size, dtype=bool)
    sides = {
        group: Sides(int(member.sum()), int((retrieved & ~member).sum())) for group, member in members.items()
    }
    return ComparedPool(population.size, sides if len(sides) > 1 else {})


def group_tests(graded: Graded, members: Mapping[str, Flags]) -> dict[str, Circularity]:
    """Return for each group of runs whether the machine over-rates what it retrieved.

    Only with documents that another group retrieved: documents that no run ranks high differ anyway. If all
    runs are of one group, there is nothing to compare with, and the note of its test says so.
    """
    if len(members) == 1:
        return dict.fromkeys(members, Circularity(None, None, None, note=ONE_GROUP))
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
    pool: ComparedPool,
    intervals: Sequence[str] = (),
    tau: float | None = None,
) -> AuditVerdict | None:
    """Return the verdict; None while too many sampled documents have no grade of people."""
    if sampled - len(graded.human) > MOST_MISSING * sampled:
        return None
    return verdict(findings(graded.labels, sampled, threshold, tests, pool, intervals, tau))


def verdict_on_use(reads: CampaignReads, machine: Source, plan: ReleasePlan) -> MachineUse | None:
    """Return what the newest audit with a verdict says about this use of a machine; None without an audit."""
    use, number = use_of(plan), None
    judge, name = machine.user.username, str(machine.user)
    for audit in reads.campaign.machine_audits.filter(machine=machine).order_by("-number"):
        number = number or audit.number
        if stated := _verdict_of(reads, audit):
            row = stated.holes if use == HOLES else stated.replacing
            return MachineUse(judge, name, use, row.answer, audit.number, row.because)
    if number is None:
        return None
    because = f"{use}: {AuditAnswer.UNKNOWN}, because too few sampled documents have a grade of people."
    return MachineUse(judge, name, use, AuditAnswer.UNKNOWN, number, because)


def facts_of_audits(reads: CampaignReads, source: Source) -> Iterator[SourceFact]:
    """Yield the audits of a machine judge with their answers, newest first; or that it has none."""
    audits = reads.campaign.machine_audits.filter(machine=source).order_by("-number")
    if not audits and source in reads.campaign.sources.standing().programs():
        url = reverse("metrics:machine_audit_list", args=[reads.campaign.slug])
        yield SourceFact("Audits", "none yet: let people judge a random sample", url)
    for audit in audits:
        url = reverse("metrics:machine_audit", args=[reads.campaign.slug, audit.number])
        yield SourceFact(f"Audit {audit.number}", short_verdict(reads, audit), url)


def short_verdict(reads: CampaignReads, audit: MachineAudit) -> str:
    """Return the answers for the uses in a release, or why there are none."""
    if stated := _verdict_of(reads, audit):
        uses = (stated.holes, stated.replacing)
        return "; ".join(f"{use.name} ({use.meaning}): {use.answer}" for use in uses)
    return "no verdict: too few sampled documents have a grade of people"


def _verdict_of(reads: CampaignReads, audit: MachineAudit) -> AuditVerdict | None:
    """Return the verdict on holes and on replacing people: neither needs scores of runs. Cached."""
    version = reads.version, reads.runs_version, reads.release_plan.rule
    return reads.cached(f"audit-verdict-{audit.number}", version, lambda: _compute_verdict(reads, audit))


def _compute_verdict(reads: CampaignReads, audit: MachineAudit) -> AuditVerdict | None:
    campaign, sample = reads.campaign, audited_sample(reads, audit)
    if sample.graded.sum() < 2:
        return None
    graded, runs = graded_sample(audit, sample), list(campaign.runs.active())
    tests = group_tests(graded, group_members(reads, runs, reads.pooled.where(graded.place), DEPTH))
    pool = compared_pool(reads, runs, population_of(reads, audit.machine))
    return audit_verdict(graded, len(sample.human), campaign.threshold, tests, pool)

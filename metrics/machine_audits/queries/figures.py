"""What an audit says about a machine judge: estimates, agreement, scores of runs, and the verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assess.models import MachineAudit, MachineLabelling, MachineRequest
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from metrics.machine_audits import confusion, estimates
from metrics.machine_audits.circularity import ComparedPool
from metrics.machine_audits.estimates import Estimate
from metrics.machine_audits.queries.runs import order_agreement, run_rows
from metrics.machine_audits.queries.samples import (
    AuditedSample,
    audited_sample,
    drawn_strata,
    population_of,
)
from metrics.machine_audits.queries.verdicts import (
    DEPTH,
    Graded,
    audit_verdict,
    compared_pool,
    graded_sample,
    group_members,
    group_tests,
)
from metrics.machine_audits.report import (
    AuditReport,
    GroupRow,
    MatrixCell,
    MatrixRow,
    Means,
    OrderAgreement,
    RunRow,
    SampleCounts,
    TopicRow,
)
from metrics.machine_audits.verdict import LEAST_RUNS, AuditVerdict
from pooling.arrays import Flags, Vector
from pooling.models import Run

CUTOFFS = (5, 10, 20)  # the k of P@k
DEFAULT_CUTOFF = DEPTH  # a release asks for the verdict at this one


class ProbeRow(NamedTuple):
    """The answers to probes of one kind. mean: grade, None without an answer."""

    name: str
    answered: int
    mean: float | None


def audit_report(
    reads: CampaignReads, audit: MachineAudit, cutoff: int = DEFAULT_CUTOFF
) -> AuditReport | None:
    """Return the figures of an audit; None until two sampled documents are judged.

    cutoff: the k of P@k, and the depth to which a document counts as retrieved by a run. Cached until a
    label, a run or the rule changes.
    """
    version = reads.version, reads.runs_version, reads.release_plan.rule
    name = f"machine-audit-{audit.number}-{cutoff}"
    return reads.cached(name, version, lambda: _audit_report(reads, audit, cutoff))


def counts_of(audit: MachineAudit, sample: AuditedSample) -> SampleCounts:
    return SampleCounts(
        audit.design["documents"],
        len(sample.human),
        int(sample.graded.sum()),
        int((sample.human == NoGrade.NO_LINE).sum()),
    )


def _audit_report(reads: CampaignReads, audit: MachineAudit, cutoff: int) -> AuditReport | None:
    campaign, sample = reads.campaign, audited_sample(reads, audit)
    if sample.graded.sum() < 2:
        return None
    threshold, graded = campaign.threshold, graded_sample(audit, sample)
    scale = [grade.value for grade in campaign.grades]
    population = population_of(reads, audit.machine)
    runs = list(campaign.runs.active())
    relevant = (graded.human >= threshold).astype(np.float64)
    machine_relevant = (graded.machine >= threshold).astype(np.float64)
    rates = confusion.rates(graded.labels, threshold)
    effect = estimates.design_effect(relevant, machine_relevant, graded.stratum, graded.strata)
    kappa = confusion.kappa(graded.labels, max(scale) + 1)
    share = _means(audit, graded, relevant, machine_relevant, threshold)
    groups = _groups(reads, runs, graded, cutoff)
    rows = run_rows(reads, runs, population, graded, cutoff)
    order = order_agreement(reads, runs, population, cutoff)
    counts = counts_of(audit, sample)
    return AuditReport(
        counts,
        sample.rule,
        threshold,
        cutoff,
        graded.labels.design.notes,
        share,
        _means(audit, graded, graded.human.astype(np.float64), graded.machine.astype(np.float64), None),
        effect,
        rates,
        kappa,
        _matrix(graded, scale),
        [row for row in confusion.by_grade(graded.labels, max(scale) + 1, threshold) if row.grade in scale],
        groups,
        rows,
        order,
        _verdict(
            counts, graded, threshold, groups, compared_pool(reads, runs, population, cutoff), rows, order
        ),
    )


def _verdict(
    counts: SampleCounts,
    graded: Graded,
    threshold: int,
    groups: list[GroupRow],
    pool: ComparedPool,
    runs: list[RunRow],
    order: OrderAgreement,
) -> AuditVerdict | None:
    tests = {row.group: row.test for row in groups}
    intervals = [row.why_no_interval for row in runs]
    tau = order.tau if len(runs) >= LEAST_RUNS else None
    return audit_verdict(graded, counts.sampled, threshold, tests, pool, intervals, tau)


def _means(audit: MachineAudit, graded: Graded, y: Vector, f: Vector, threshold: int | None) -> Means:
    """Return the estimates of a mean: of relevance, or of grades without a threshold."""
    strata, documents = drawn_strata(audit), audit.design["documents"]
    total = sum(
        stratum.documents * (stratum.grade if threshold is None else float(stratum.grade >= threshold))
        for stratum in strata
    )
    machine, is_share = total / documents, threshold is not None
    best = estimates.stratified(y, graded.stratum, graded.strata, is_share)
    if audit.design["allocation"] != "proportional":
        return Means(machine, best, ())
    others = (
        estimates.human_only(y, documents, is_share),
        estimates.difference(y, f, machine, documents),
        estimates.regression(y, f, machine, documents),
    )
    return Means(machine, best, others)


def _matrix(graded: Graded, scale: Sequence[int]) -> list[MatrixRow]:
    table = confusion.weighted_table(graded.labels, max(scale) + 1)
    return [_matrix_row(grade, scale, table[grade]) for grade in scale]


def _matrix_row(grade: int, scale: Sequence[int], counts: Vector) -> MatrixRow:
    total = float(counts.sum())
    cells = [
        MatrixCell(float(counts[human]), float(counts[human]) / total if total else 0.0, human == grade)
        for human in scale
    ]
    return MatrixRow(grade, cells, total)


def _over_rating(graded: Graded, member: Flags) -> Estimate:
    """Return the mean machine grade minus human grade among these labels, weighted to the pool."""
    among = member.astype(np.float64)
    off = (graded.machine - graded.human) * among
    return estimates.ratio(off, among, graded.labels.design, False, "mean over-rating")


def topic_rows(
    reads: CampaignReads, audit: MachineAudit, hidden: Collection[int] = frozenset()
) -> list[TopicRow]:
    """Return a row for each topic with labels, without topics that have a hidden document."""
    sample, topics = audited_sample(reads, audit), reads.pooled.topic
    closed = set(topics[sample.place[np.isin(sample.pooled, list(hidden))]].tolist())
    graded = graded_sample(audit, sample)
    topic = topics[graded.place]
    return [
        TopicRow(number, int(here.sum()), _over_rating(graded, here).value)
        for index, number in enumerate(reads.topic_numbers)
        if index not in closed and (here := topic == index).any()
    ]


def _groups(reads: CampaignReads, runs: Sequence[Run], graded: Graded, depth: int) -> list[GroupRow]:
    """Return a row for each run group: does the machine over-rate the documents that it retrieved?"""
    members = group_members(reads, runs, reads.pooled.where(graded.place), depth)
    tests = group_tests(graded, members)
    return [GroupRow(name, _over_rating(graded, members[name]), test) for name, test in tests.items()]


def probe_rows(audit: MachineAudit) -> list[ProbeRow]:
    """Return the answers to the probes of the machine's labelling; [] if it had none."""
    labelling = MachineLabelling.objects.filter(machine=audit.machine_id).first()
    if labelling is None:
        return []
    requests = labelling.requests.exclude(probe="").filter(state=MachineRequest.State.ANSWERED)
    grades: dict[str, list[int | None]] = {}
    for probe, relevance in requests.values_list("probe", "relevance"):
        grades.setdefault(probe, []).append(relevance)
    rows = []
    for probe in MachineRequest.Probe:
        if probe and (given := [grade for grade in grades.get(probe, ()) if grade is not None]):
            rows.append(ProbeRow(str(probe.label), len(given), sum(given) / len(given)))
    return rows


class AuditedPair(NamedTuple):
    """A line of the downloaded file: what is needed to compute the estimates again."""

    topic: str
    docno: str
    stratum: str
    stratum_documents: int
    stratum_sampled: int
    probability: float
    machine_grade: int
    human_grade: int | str


def audited_pairs(
    reads: CampaignReads, audit: MachineAudit, hidden: Collection[int] = frozenset()
) -> Iterator[AuditedPair]:
    """Yield every sampled document, by topic and docno. hidden: keys of documents that are left out."""
    sample, strata, documents = audited_sample(reads, audit), drawn_strata(audit), reads.pooled
    numbers = reads.topic_numbers
    columns = (sample.pooled, sample.place, sample.stratum, sample.machine, sample.human)
    for pooled, index, number, machine, human in zip(*(c.tolist() for c in columns), strict=True):
        stratum = strata[number]
        if pooled not in hidden:
            yield AuditedPair(
                numbers[int(documents.topic[index])],
                documents.docno[index].decode(),
                stratum.name,
                stratum.documents,
                stratum.sampled,
                stratum.sampled / stratum.documents,
                machine,
                human if human >= 0 else "cannot judge" if human == NoGrade.NO_LINE else "",
            )

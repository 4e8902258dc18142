"""Scores of runs by the labels of a machine judge, corrected by the sample of its audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assess.models import MachineAudit
from assess.queries.campaign_reads import CampaignReads
from assess.queries.pooled_columns import PooledColumns
from metrics.machine_audits.queries.samples import (
    Population,
    audited_sample,
    independent_grades,
    population_of,
)
from metrics.machine_audits.queries.verdicts import Graded, graded_sample
from metrics.machine_audits.report import OrderAgreement, RunDifference, RunRow
from metrics.machine_audits.run_scores import difference_estimate, leaves_range, score_estimates
from metrics.machine_audits.sample import SampleStratum
from metrics.queries.scores import stored_runs
from metrics.rankings.rank_correlation import kendall_tau_b
from pooling.arrays import IntVector, Matrix, Vector
from pooling.models import Run
from pooling.strategies.candidates import pair_keys


class _Labels(NamedTuple):
    """What `score_estimates` takes beside the weights: f, y, places, stratum, strata."""

    machine: Vector
    human: Vector
    places: IntVector
    stratum: IntVector
    strata: list[SampleStratum]


def _labels(reads: CampaignReads, population: Population, graded: Graded) -> _Labels:
    order = np.argsort(population.documents.pk)
    sampled = reads.pooled.pk[graded.place]
    places = order[np.searchsorted(population.documents.pk, sampled, sorter=order)]
    machine, human = (
        (grades >= reads.campaign.threshold).astype(np.float64)
        for grades in (population.grades, graded.human)
    )
    return _Labels(machine, human, places, graded.stratum, graded.strata)


def run_rows(
    reads: CampaignReads, runs: Sequence[Run], population: Population, graded: Graded, cutoff: int
) -> list[RunRow]:
    """Return P@k of every run, over the topics that have documents with a label of the machine."""
    if not runs:
        return []
    weights, labels = (
        run_weights(reads, runs, population.documents, cutoff),
        _labels(reads, population, graded),
    )
    rows = zip(runs, (weights @ labels.machine).tolist(), score_estimates(weights, *labels), strict=True)
    rows_of_runs = [
        RunRow(run.tag, run.group, score, estimate, leaves_range(estimate)) for run, score, estimate in rows
    ]
    return sorted(rows_of_runs, key=lambda row: (-row.machine, row.tag))


def run_difference(
    reads: CampaignReads, audit: MachineAudit, cutoff: int, first: str, second: str
) -> RunDifference:
    """Return the corrected P@k of one active run minus that of another, by tag; cached as the report is."""
    version = reads.version, reads.runs_version, reads.release_plan.rule
    name = f"audit-difference-{audit.number}-{cutoff}"
    wanted = (*version, first, second)
    return reads.cached(name, wanted, lambda: _run_difference(reads, audit, cutoff, first, second))


def _run_difference(
    reads: CampaignReads, audit: MachineAudit, cutoff: int, first: str, second: str
) -> RunDifference:
    population = population_of(reads, audit.machine)
    graded = graded_sample(audit, audited_sample(reads, audit))
    runs = [reads.campaign.runs.active().get(tag=tag) for tag in (first, second)]
    weights, labels = (
        run_weights(reads, runs, population.documents, cutoff),
        _labels(reads, population, graded),
    )
    by_machine = float((weights[0] - weights[1]) @ labels.machine)
    return RunDifference(first, second, by_machine, difference_estimate(weights[1], weights[0], *labels))


def order_agreement(
    reads: CampaignReads, runs: Sequence[Run], population: Population, cutoff: int
) -> OrderAgreement:
    """Return Kendall's tau-b of the orders of runs by P@k: by the machine's labels and by people's grades.

    Only if people graded all pooled documents that a run has among its first k of the topics with labels of
    the machine: a part of them would favour the runs that the part was chosen from.
    """
    documents = reads.pooled.where(reads.is_to_be_judged)
    documents = documents.where(np.isin(documents.topic, population.documents.topic))
    weights = run_weights(reads, runs, documents, cutoff)
    used = np.flatnonzero(weights.any(axis=0))
    by_people = reads.labels.people.pooled
    grades = np.full(len(used), -1, dtype=np.int64)
    labelled = np.isin(documents.pk[used], by_people)
    if labelled.all():  # otherwise there is no need to decide thousands of grades
        grades, _ = independent_grades(reads, documents.pk[used])
    lacking = int((grades < 0).sum()) if labelled.all() else int((~labelled).sum())
    if lacking or len(runs) < 2:
        return OrderAgreement(None, cutoff, len(used), lacking)
    human = weights[:, used] @ (grades >= reads.campaign.threshold).astype(np.float64)
    machine = run_weights(reads, runs, population.documents, cutoff) @ (
        population.grades >= reads.campaign.threshold
    )
    return OrderAgreement(kendall_tau_b(human, machine).value, cutoff, len(used), 0)


def run_weights(reads: CampaignReads, runs: Sequence[Run], documents: PooledColumns, cutoff: int) -> Matrix:
    """Return the weight of each document in the mean P@k of each run, shape (runs, documents).

    The mean is over the topics of the documents.
    """
    numbers = {number: index for index, number in enumerate(reads.topic_numbers)}
    ids = reads.docnos.find(documents.docno).astype(np.int64)
    keys = pair_keys(documents.topic, ids)
    order = np.argsort(keys)
    topics = len(np.unique(documents.topic))
    weights = np.zeros((len(runs), len(keys)))
    for row, run in zip(weights, stored_runs(runs), strict=True):
        top = run.top(cutoff)
        places = np.array([numbers.get(topic, -1) for topic in top.topics], dtype=np.int64)
        of_rows = np.repeat(places, np.diff(top.offsets))
        wanted = pair_keys(of_rows, top.ids.astype(np.int64))[of_rows >= 0]
        at = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
        hit = order[at][keys[order[at]] == wanted]
        row[hit] = 1 / (cutoff * topics)
    return weights

"""Audits of machine judges: the population, the draft of a sample, and the grades that people gave it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, QuerySet

from accounts.models import User
from assess.consensus import MAJORITY, ONE_JUDGE, USES_SETTLED
from assess.models import Judgment, JudgmentEvent, MachineAudit, Source
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from assess.queries.gold import not_gold_or_training
from assess.queries.pooled_columns import PooledColumns
from assess.queries.release_draft import decide_labels
from assess.release.plan import ReleasePlan
from metrics.machine_audits.estimates import needed
from metrics.machine_audits.run_scores import labels_for_intervals
from metrics.machine_audits.sample import SampleStratum, allocate, draw
from pooling.arrays import Flags, IntVector
from pooling.formats.docnos import UNKNOWN
from pooling.models import Campaign
from pooling.queries.runs import ranked_ids
from pooling.refusals import Refused
from pooling.strategies.candidates import pair_keys, top_rows

LEAST_IN_EARLIER = 5  # graded documents of each machine grade that an earlier audit needs for Neyman's rule


class Population(NamedTuple):
    """The documents that a sample is drawn from: pooled, to be judged, with a grade of the machine.

    documents: by topic, then docno. grades: of the machine, shape (documents,).
    """

    documents: PooledColumns
    grades: IntVector

    @property
    def size(self) -> int:
        return len(self.grades)

    @property
    def by_grade(self) -> list[int]:
        """Documents of each grade that the machine gave, from the lowest."""
        counts: list[int] = np.unique(self.grades, return_counts=True)[1].tolist()
        return counts


def population_of(reads: CampaignReads, machine: Source) -> Population:
    """Return the population of an audit, without gold and training documents."""
    return reads.once(f"population-{machine.pk}", lambda: _population(reads, machine))


def _population(reads: CampaignReads, machine: Source) -> Population:
    labels = Judgment.objects.filter(not_gold_or_training(), judge=machine.user_id, relevance__isnull=False)
    labels = labels.filter(pooled__pool__in=reads.pool_keys).order_by()
    rows = np.array(list(labels.values_list("pooled", "relevance")), dtype=np.int64).reshape(-1, 2)
    pooled = reads.pooled
    places = np.searchsorted(pooled.pk, rows[:, 0])
    order = np.lexsort((pooled.docno[places], pooled.topic[places]))
    return Population(pooled.where(places[order]), rows[order, 1])


def retrieved_by(reads: CampaignReads, group: str, depth: int, documents: PooledColumns) -> Flags:
    """Return which documents an active run of a group has among its first `depth` of the topic."""
    runs = list(reads.campaign.runs.active().filter(group=group))
    return retrieved_by_runs(reads, runs, depth, documents)


def retrieved_by_runs(
    reads: CampaignReads, runs: Sequence[Any], depth: int, documents: PooledColumns
) -> Flags:
    """Return which documents any of these runs has among its first `depth` of the topic."""
    tops = [top_rows(run, depth) for run in ranked_ids(runs, reads.topic_numbers)]
    retrieved_keys = [pair_keys(top.topics, top.ids) for top in tops]
    ids = reads.docnos.find(documents.docno)
    keys = pair_keys(documents.topic, ids.astype(np.int64))
    member: Flags = (
        np.isin(keys, np.concatenate(retrieved_keys)) if retrieved_keys else np.zeros(len(keys), dtype=bool)
    )
    member &= ids != UNKNOWN
    return member


class SamplePlan(NamedTuple):
    """What decides a sample. earlier: an audit of the same machine, for Neyman's allocation.

    group, depth: if not empty, documents that a run of this group has among its first `depth` are strata of
    their own.
    """

    machine: Source
    size: int
    seed: int
    earlier: MachineAudit | None = None
    group: str = ""
    depth: int = 10


class DrawnStratum(NamedTuple):
    """A stratum as the design stores it. retrieved: by the group; None if groups make no strata."""

    name: str
    grade: int
    retrieved: bool | None
    documents: int
    sampled: int


class SampleDraft(NamedTuple):
    """A sample before it is stored; the same plan gives the same sample.

    strata: by machine grade. chosen: places in the population, rising. stratum: of each chosen document.
    """

    population: Population
    strata: list[DrawnStratum]
    chosen: IntVector
    stratum: IntVector

    @property
    def pooled(self) -> list[int]:
        """The keys of the sampled documents."""
        keys: list[int] = self.population.documents.pk[self.chosen].tolist()
        return keys


def draft_sample(reads: CampaignReads, plan: SamplePlan) -> SampleDraft:
    """Return the sample of a plan. Raises Refused if it is not possible."""
    population = population_of(reads, plan.machine)
    if not population.size:
        raise Refused("This machine judge has no grade of a document that is to be judged.")
    retrieved = np.zeros(population.size, dtype=np.int64)
    if plan.group:
        retrieved += retrieved_by(reads, plan.group, plan.depth, population.documents)
    cells, stratum_of, sizes = np.unique(
        np.column_stack([population.grades, retrieved]), axis=0, return_inverse=True, return_counts=True
    )
    stratum_of = stratum_of.reshape(-1)
    spread = _spread(reads, plan.earlier, cells[:, 0].tolist()) if plan.earlier else None
    sampled = allocate(sizes.tolist(), plan.size, spread)
    strata = [
        _drawn_stratum(grade, bool(inside) if plan.group else None, plan, size, count)
        for (grade, inside), size, count in zip(cells.tolist(), sizes.tolist(), sampled, strict=True)
    ]
    chosen = draw(stratum_of, sampled, plan.seed)
    return SampleDraft(population, strata, chosen, stratum_of[chosen])


def _drawn_stratum(
    grade: int, retrieved: bool | None, plan: SamplePlan, size: int, sampled: int
) -> DrawnStratum:
    name = f"grade {grade}"
    if retrieved is not None:
        name += f", {'' if retrieved else 'not '}retrieved by {plan.group}"
    return DrawnStratum(name, grade, retrieved, size, sampled)


def _spread(reads: CampaignReads, earlier: MachineAudit, grades: Sequence[int]) -> list[float]:
    """Return the standard deviation of people's relevance (0 or 1) in an earlier audit, by machine grade."""
    sample = audited_sample(reads, earlier)
    graded = sample.human >= 0
    relevant = (sample.human >= earlier.campaign.threshold).astype(np.float64)
    spread = []
    for grade in grades:
        values = relevant[graded & (sample.machine == grade)]
        if len(values) < LEAST_IN_EARLIER:
            raise Refused(
                f"{earlier} has {len(values)} documents of machine grade {grade} with a grade of people. "
                f"Neyman's allocation needs at least {LEAST_IN_EARLIER}. Choose the proportional allocation."
            )
        spread.append(float(values.std(ddof=1)))
    return spread


class SampleSizeForecast(NamedTuple):
    """How many labels, of people alone, give the share of relevant documents this precisely."""

    half_width: float
    labels: int


def forecast(population: Population, threshold: int) -> list[SampleSizeForecast]:
    """Return the number of labels for some half widths, if the share is the machine's."""
    share = float((population.grades >= threshold).mean()) if population.size else 0.5
    return [
        SampleSizeForecast(half_width, needed(share, half_width, population.size))
        for half_width in (0.1, 0.05, 0.03)
    ]


def labels_for_scores(population: Population) -> int:
    """Return about how many labels give most runs an interval of their corrected P@10."""
    return labels_for_intervals(population.size, len(np.unique(population.documents.topic)))


def expected_half_width(population: Population, threshold: int, size: int) -> float | None:
    """Return the half width that a plain sample of this size gives, to 0.005; None if it is above 0.5."""
    share = float((population.grades >= threshold).mean())
    widths = (step / 200 for step in range(1, 101))
    return next((width for width in widths if needed(share, width, population.size) <= size), None)


def drawn_strata(audit: MachineAudit) -> list[DrawnStratum]:
    """Return the strata of an audit, in the order of the numbers of its documents."""
    return [DrawnStratum(**stratum) for stratum in audit.design["strata"]]


def statistical_strata(audit: MachineAudit) -> list[SampleStratum]:
    """Return the strata of an audit, for its estimates."""
    return [
        SampleStratum(stratum.name, stratum.documents, stratum.sampled) for stratum in drawn_strata(audit)
    ]


class AuditedSample(NamedTuple):
    """The sampled documents, by topic, then docno; all columns of shape (documents,).

    pooled: keys. place: in `CampaignReads.pooled`. human: the agreed grade of people, or a value of NoGrade:
    MISSING without a label, NO_LINE if people could not judge it or the rule decides nothing. rule: gave the
    grades.
    """

    pooled: IntVector
    place: IntVector
    stratum: IntVector
    machine: IntVector
    human: IntVector
    rule: str

    @property
    def graded(self) -> Flags:
        flags: Flags = self.human >= 0
        return flags


def audited_sample(reads: CampaignReads, audit: MachineAudit) -> AuditedSample:
    """Return an audit's documents with the machine's grade, and the agreed grade of independent labels."""
    return reads.once(f"audited-sample-{audit.pk}", lambda: _audited_sample(reads, audit))


def _audited_sample(reads: CampaignReads, audit: MachineAudit) -> AuditedSample:
    rows = audit.documents.order_by().values_list("pooled", "stratum", "machine_grade")
    columns = np.array(list(rows), dtype=np.int64).reshape(-1, 3)
    documents = reads.pooled
    place = np.searchsorted(documents.pk, columns[:, 0])
    order = np.lexsort((documents.docno[place], documents.topic[place]))
    columns, place = columns[order], place[order]
    human, rule = independent_grades(reads, columns[:, 0])
    return AuditedSample(columns[:, 0], place, columns[:, 1], columns[:, 2], human, rule)


def independent_grades(reads: CampaignReads, pooled: IntVector) -> tuple[IntVector, str]:
    """Return the agreed grades of documents from people's independent labels, and the rule.

    A label is not independent if a grade of a machine was on screen at this label or at an earlier one of the
    same judge. The rule is that of the campaign's default plan, over all people.
    """
    labels = reads.labels.people
    labels = labels.where(np.isin(labels.pooled, pooled))
    suggested = suggested_pairs(pooled.tolist())
    pairs = zip(labels.judge.tolist(), labels.pooled.tolist(), strict=True)
    labels = labels.where(np.array([pair not in suggested for pair in pairs], dtype=bool))
    plan = _people_plan(reads, independent_only=bool(suggested))
    grades = np.full(len(pooled), NoGrade.MISSING, dtype=np.int64)
    if len(labels.pooled):
        people = User.objects.filter(pk__in=np.unique(labels.judge).tolist()).order_by("pk")
        draft = decide_labels(reads, plan, labels, dict(people.values_list("pk", "username")))
        order = np.argsort(pooled)
        places = np.searchsorted(pooled[order], reads.pooled.pk[draft.documents])
        grades[order[places]] = draft.written(plan)
    return grades, plan.rule


def suggested_pairs(pooled: Collection[int]) -> set[tuple[int, int]]:
    """Return (judge, document) of labels that were given with a machine's grade on screen."""
    events = JudgmentEvent.objects.filter(pooled__in=pooled, suggested__isnull=False).order_by()
    return set(events.values_list("judge", "pooled"))


def _people_plan(reads: CampaignReads, independent_only: bool) -> ReleasePlan:
    """Return the campaign's default rule for the labels of all people.

    independent_only: a rule that uses settled grades is replaced, because these may rest on other labels.
    """
    plan = reads.release_plan
    replaced = plan.rule == ONE_JUDGE or (independent_only and plan.rule in USES_SETTLED)
    return replace(ReleasePlan(), rule=MAJORITY if replaced else plan.rule)


def audits_of(campaign: Campaign) -> QuerySet[MachineAudit]:
    """Return the audits of a campaign, newest first, with `sampled`: their number of documents."""
    audits = campaign.machine_audits.select_related("machine__user", "created_by")
    return audits.annotate(sampled=Count("documents"))

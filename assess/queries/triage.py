"""The order by triage of a topic: by the uncertainty of a machine judge, and the influence on runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from django.db.models import QuerySet

from assess.models import JudgingPlan, MachineRequest, Source
from assess.triage import DEPTH, disagreement, doubt, influence, triage_places
from pooling.models import Pool, Topic
from pooling.queries.caching import cached
from pooling.queries.runs import ranked_runs


def places_by_triage(pool: Pool, topic: Topic, plan: JudgingPlan, docnos: Collection[str]) -> dict[str, int]:
    """Return docno -> place in the order of triage, of all documents of a topic in a pool.

    Cached until the machine judge has more answers. The runs of a pool are frozen with it.
    """
    machine = plan.triage_machine
    answers = _answers(machine, topic, pool).count() if machine else 0
    version = pool.frozen_at, machine and machine.pk, answers

    def compute() -> dict[str, int]:
        uncertain = _uncertainty(machine, topic, pool) if machine else {}
        return triage_places(uncertain, _influence(pool, topic, sorted(docnos)))

    return cached(topic.campaign, f"triage-{pool.pk}-{topic.pk}", version, compute)


def _influence(pool: Pool, topic: Topic, docnos: list[str]) -> dict[str, float]:
    runs = pool.runs.select_related("columns").order_by("pk")
    ranked = ranked_runs(topic.campaign, runs, DEPTH, topic.number)
    return influence([run.rankings.get(topic.number, ()) for run in ranked], docnos)


def _answers(machine: Source, topic: Topic, pool: Pool) -> QuerySet[MachineRequest]:
    """Return the answers with a grade on the documents of a topic in a pool, without probes."""
    requests = MachineRequest.objects.filter(labelling__machine=machine, probe=MachineRequest.Probe.NONE)
    return requests.filter(pooled__topic=topic, pooled__pool=pool, relevance__isnull=False)


def _uncertainty(machine: Source, topic: Topic, pool: Pool) -> dict[str, float]:
    """Return docno -> uncertainty: by probabilities of grades where the server sent them, else by samples."""
    grades: dict[str, list[int]] = defaultdict(list)
    probabilities: dict[str, list[dict[str, float]]] = defaultdict(list)
    rows = _answers(machine, topic, pool).order_by("pk")
    for docno, grade, stored in rows.values_list("pooled__docno", "relevance", "probabilities"):
        if grade is not None:
            grades[docno].append(grade)
        if stored and stored.get("grades"):
            probabilities[docno].append(stored["grades"])
    uncertainties = {
        docno: doubt(probabilities[docno]) if docno in probabilities else disagreement(given)
        for docno, given in grades.items()
    }
    return {docno: value for docno, value in uncertainties.items() if value is not None}

"""Documents without a label of people that need no judge: programs fill them, or they wait in a sample."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef

from assess.event_columns import Ints, grouped_sums
from assess.models import AuditedDocument, Judgment, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.sources import of_people
from assess.release.machine_use import HOLES, use_of


class Filling(NamedTuple):
    """The holes that the default plan of the next release fills: documents that only programs labelled.

    by_machine: username of a machine judge -> how many it fills. documents: their keys.
    """

    by_machine: Counter[str]
    documents: Ints


def filling_of(reads: CampaignReads) -> Filling:
    """Return which holes the next release fills; none if its default plan fills no holes."""
    return reads.once("filling", lambda: _filling_of(reads))


def _filling_of(reads: CampaignReads) -> Filling:
    plan, filling = reads.release_plan, Filling(Counter(), np.empty(0, dtype=np.int64))
    machines = {machine.user_id: machine.user.username for machine in reads.machines}
    machines = {key: name for key, name in machines.items() if name in plan.machines}
    if use_of(plan) != HOLES or not machines:
        return filling
    labels, holes = reads.labels, _unlabelled(reads)
    for key, name in machines.items():
        of_machine = np.intersect1d(holes, labels.all.pooled[labels.all.judge == key])
        filling.by_machine[name] = len(of_machine)
        filling = filling._replace(documents=np.union1d(filling.documents, of_machine))
    return filling


def _unlabelled(reads: CampaignReads) -> Ints:
    """Return the keys of the documents to judge that no person has labelled."""
    keys: Ints = np.setdiff1d(reads.pooled.pk[reads.is_to_be_judged], reads.labels.people.pooled)
    return keys


def covered_documents(reads: CampaignReads, has_samples: bool) -> Counter[tuple[int, ...]]:
    """Return (topic, pool) -> documents without a label that need no other judge.

    Programs fill them in the next release, or a judge has them in the sample of an audit. has_samples:
    whether a judge has documents of a sample.
    """
    covered = filling_of(reads).documents
    if has_samples:
        covered = np.union1d(covered, _waiting_in_samples(reads))
    covered = np.setdiff1d(covered, reads.withheld)
    if not len(covered):
        return Counter()
    documents = reads.pooled.where(np.isin(reads.pooled.pk, covered))
    counts = grouped_sums((documents.topic, documents.pool), np.ones_like(documents.pk))
    return Counter({(reads.topics[topic].pk, pool): count for (topic, pool), (count,) in counts})


def _waiting_in_samples(reads: CampaignReads) -> Ints:
    """Return the keys of unlabelled sampled documents that a judge of the sample has in the queue."""
    queues = QueueEntry.objects.filter(kind=QueueEntry.Kind.JUDGING, state=QueueEntry.State.OPEN)
    waiting = queues.filter(pooled=OuterRef("pooled"), judge__audited=OuterRef("pk"))
    labels = Judgment.objects.filter(of_people(), pooled=OuterRef("pooled"))
    sampled = AuditedDocument.objects.filter(Exists(waiting), ~Exists(labels))
    sampled = sampled.filter(audit__campaign=reads.campaign).order_by()
    return np.array(list(sampled.values_list("pooled", flat=True)), dtype=np.int64)

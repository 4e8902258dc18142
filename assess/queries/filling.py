"""Documents without a label of people whose grade in the next release comes from programs."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from assess.queries.campaign_reads import CampaignReads
from assess.release.machine_use import HOLES, use_of


class Filling(NamedTuple):
    """filled: username of a machine judge -> documents that only programs labelled, and this one did.

    topics: numbers of the topics with such documents on which no document lacks a label.
    """

    filled: Counter[str]
    topics: frozenset[str]


def filling_of(reads: CampaignReads) -> Filling:
    """Return which holes the default plan of the next release fills; none if it fills no holes."""
    plan = reads.release_plan
    machines = {machine.user_id: machine.user.username for machine in reads.machines}
    machines = {key: name for key, name in machines.items() if name in plan.machines}
    if use_of(plan) != HOLES or not machines:
        return Filling(Counter(), frozenset())
    pooled, labels = reads.pooled, reads.labels
    holes = reads.is_to_be_judged & ~np.isin(pooled.pk, labels.people.pooled)
    filled, filling = np.zeros(len(pooled.pk), dtype=bool), Counter[str]()
    for key, name in machines.items():
        of_machine = holes & np.isin(pooled.pk, labels.all.pooled[labels.all.judge == key])
        filling[name] = int(of_machine.sum())
        filled |= of_machine
    topics = np.setdiff1d(pooled.topic[filled], pooled.topic[holes & ~filled])
    return Filling(filling, frozenset(reads.topic_numbers[place] for place in topics.tolist()))

"""Labels counted by topic, judge and pool, and the time that they took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import numpy as np

from assess.event_columns import grouped_sums
from assess.models import Progress
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import agreed_version, draft_decisions
from pooling.models import Campaign


class LabelTotals(NamedTuple):
    """labels: (topic, judge) -> pool -> number of labels, of relevant ones, of refusals.

    documents: (topic, pool) -> judged documents. relevant: topic -> documents that are relevant by `rule`,
    the default rule of a release without its machine judges.
    """

    labels: dict[tuple[int, int], dict[int, tuple[int, int, int]]]
    documents: dict[tuple[int, int], int]
    relevant: Counter[int]
    rule: str


class Timing(NamedTuple):
    """Number of events with measured active seconds, and their sum. last_label: time of the last press."""

    events: int = 0
    seconds: float = 0
    last_label: datetime | None = None

    @property
    def mean(self) -> float | None:
        """Mean seconds; None where nothing was measured."""
        return self.seconds / self.events if self.events else None


def merge_timings(timings: Iterable[Timing]) -> Timing:
    """Return the timing of all events together."""
    timings = list(timings)
    last_labels = [timing.last_label for timing in timings if timing.last_label]
    events, seconds = sum(timing.events for timing in timings), sum(timing.seconds for timing in timings)
    return Timing(events, seconds, max(last_labels, default=None))


def label_totals(reads: CampaignReads) -> LabelTotals:
    """Return the label counts of people; cached until a label changes."""
    return reads.cached("done", agreed_version(reads, reads.people_plan), lambda: _counted(reads))


def timings_of(campaign: Campaign) -> dict[tuple[int, int], Timing]:
    """Return (topic, judge) -> the time that the judge's labels took, and the last press."""
    rows = Progress.objects.filter(topic__campaign=campaign)
    fields = rows.values_list("topic", "judge", "timed", "seconds", "last_at")
    return {(topic, judge): Timing(timed, seconds, at) for topic, judge, timed, seconds, at in fields}


def _counted(reads: CampaignReads) -> LabelTotals:
    totals = LabelTotals(defaultdict(dict), {}, _relevant(reads), reads.people_plan.rule)
    labels = reads.labels.people
    relevant = (labels.relevance >= reads.campaign.threshold).astype(np.int64)
    refused = (labels.relevance == NoGrade.REFUSED).astype(np.int64)
    pools = reads.pooled.pool[np.searchsorted(reads.pooled.pk, labels.pooled)]
    keys = (labels.topic, labels.judge, pools)
    for (topic, judge, pool), figures in grouped_sums(keys, np.ones_like(relevant), relevant, refused):
        totals.labels[topic, judge][pool] = figures
    first = np.flatnonzero(np.diff(labels.pooled, prepend=-1))  # of each document
    for (topic, pool), (count,) in grouped_sums((labels.topic[first], pools[first]), np.ones_like(first)):
        totals.documents[topic, pool] = count
    return totals


def _relevant(reads: CampaignReads) -> Counter[int]:
    """Return topic -> documents that a release made now, of labels of people, would call relevant."""
    plan = reads.people_plan
    draft = draft_decisions(reads, plan)
    relevant = draft.written(plan) >= reads.campaign.threshold
    places = reads.pooled.topic[draft.documents[relevant]]
    return Counter(reads.topics[place].pk for place in places.tolist())

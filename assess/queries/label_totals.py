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
from assess.queries.caching import cached, label_version
from assess.queries.labels import current_labels, without_machines
from assess.queries.pooled_columns import pooled_columns, pools_of
from assess.queries.release_draft import agreed_version, draft_decisions
from assess.queries.releases import people_plan
from assess.release.plan import ReleasePlan
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


def label_totals(campaign: Campaign) -> LabelTotals:
    """Return the label counts of people; cached until a label changes."""
    version, plan = label_version(campaign), people_plan(campaign)
    return cached(campaign, "done", agreed_version(campaign, plan), lambda: _counted(campaign, version, plan))


def timings_of(campaign: Campaign) -> dict[tuple[int, int], Timing]:
    """Return (topic, judge) -> the time that the judge's labels took, and the last press."""
    rows = Progress.objects.filter(topic__campaign=campaign)
    fields = rows.values_list("topic", "judge", "timed", "seconds", "last_at")
    return {(topic, judge): Timing(timed, seconds, at) for topic, judge, timed, seconds, at in fields}


def _counted(campaign: Campaign, version: str, plan: ReleasePlan) -> LabelTotals:
    totals = LabelTotals(defaultdict(dict), {}, _relevant(campaign, plan), plan.rule)
    labels = without_machines(campaign, current_labels(campaign, version))
    relevant = (labels.relevance >= campaign.threshold).astype(np.int64)
    refused = (labels.relevance == NoGrade.REFUSED).astype(np.int64)
    pools = pools_of(campaign, labels.pooled)
    keys = (labels.topic, labels.judge, pools)
    for (topic, judge, pool), figures in grouped_sums(keys, np.ones_like(relevant), relevant, refused):
        totals.labels[topic, judge][pool] = figures
    first = np.flatnonzero(np.diff(labels.pooled, prepend=-1))  # of each document
    for (topic, pool), (count,) in grouped_sums((labels.topic[first], pools[first]), np.ones_like(first)):
        totals.documents[topic, pool] = count
    return totals


def _relevant(campaign: Campaign, plan: ReleasePlan) -> Counter[int]:
    """Return topic -> documents that a release made now by this plan would call relevant."""
    topics = list(campaign.topics.values_list("pk", flat=True))
    draft = draft_decisions(campaign, plan)
    relevant = draft.written(plan) >= campaign.threshold
    places = pooled_columns(campaign).topic[draft.documents[relevant]]
    return Counter(topics[place] for place in places.tolist())

"""What judges have done: labels by topic, judge and pool, and how long they took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import numpy as np

from assess.event_columns import REFUSED, summed
from assess.models import Progress
from assess.queries.caching import cached, label_version
from assess.queries.current_labels import current_labels, people_of
from assess.queries.pooled_columns import pools_of
from pooling.models import Campaign


class Done(NamedTuple):
    """labels: (topic, judge) -> pool -> labels, relevant ones, refusals.

    documents: topic -> judged documents, relevant ones.
    """

    labels: dict[tuple[int, int], dict[int, tuple[int, int, int]]]
    documents: dict[int, tuple[int, int]]


class Timing(NamedTuple):
    """Events whose active seconds were measured, and the seconds of all of them. seen: the last press."""

    events: int = 0
    seconds: float = 0
    seen: datetime | None = None

    @property
    def mean(self) -> float | None:
        """Mean seconds; None where nothing was timed."""
        return self.seconds / self.events if self.events else None


def merged(timings: Iterable[Timing]) -> Timing:
    """Return the timing of all events of these together."""
    timings = list(timings)
    seen = [timing.seen for timing in timings if timing.seen]
    events, seconds = sum(timing.events for timing in timings), sum(timing.seconds for timing in timings)
    return Timing(events, seconds, max(seen, default=None))


def done_in(campaign: Campaign) -> Done:
    """Return the labels of people, counted; cached until a label changes."""
    version = label_version(campaign)
    return cached(campaign, "done", version, lambda: _counted(campaign, version))


def timings_of(campaign: Campaign) -> dict[tuple[int, int], Timing]:
    """Return (topic, judge) -> how long the judge's labels took, and when the judge was there last."""
    rows = Progress.objects.filter(topic__campaign=campaign)
    fields = rows.values_list("topic", "judge", "timed", "seconds", "last_at")
    return {(topic, judge): Timing(timed, seconds, at) for topic, judge, timed, seconds, at in fields}


def _counted(campaign: Campaign, version: str) -> Done:
    done = Done(defaultdict(dict), {})
    labels = people_of(campaign, current_labels(campaign, version))
    relevant = (labels.relevance >= campaign.threshold).astype(np.int64)
    refused = (labels.relevance == REFUSED).astype(np.int64)
    keys = (labels.topic, labels.judge, pools_of(campaign, labels.pooled))
    for (topic, judge, pool), figures in summed(keys, np.ones_like(relevant), relevant, refused):
        done.labels[topic, judge][pool] = figures
    if starts := np.flatnonzero(np.diff(labels.pooled, prepend=-1)).tolist():  # by document
        good = np.maximum.reduceat(relevant, starts)
        for (topic,), figures in summed([labels.topic[starts]], np.ones_like(good), good):
            done.documents[topic] = figures
    return done

"""What judges have done, summed up by topic, judge and pool from the events that are kept."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from assess.event_columns import REFUSED, EventColumns, summed
from assess.queries.event_logs import log_of, people_of, standing_of
from assess.queries.juries import stamp_of
from assess.queries.keeping import kept
from assess.queries.pooled_columns import pools_of
from assess.timing import Timing
from pooling.models import Campaign


class Done(NamedTuple):
    """What the events come to.

    labels: (topic, judge) -> pool -> labels, relevant ones, refusals. documents: topic -> judged documents,
    relevant ones. timings, seen: of (topic, judge).
    """

    labels: dict[tuple[int, int], dict[int, tuple[int, int, int]]]
    documents: dict[int, tuple[int, int]]
    timings: dict[tuple[int, int], Timing]
    seen: dict[tuple[int, int], datetime]


def done_in(campaign: Campaign) -> Done:
    """Return what is done, summed up anew after a label alone."""

    def made() -> Done:
        done = Done(defaultdict(dict), {}, defaultdict(Timing), {})
        _sum_up_labels(campaign, done)
        _sum_up_times(log_of(campaign), done)
        return done

    return kept(campaign, "done", stamp_of(campaign), made)


def _sum_up_labels(campaign: Campaign, done: Done) -> None:
    labels = people_of(campaign, standing_of(campaign))
    relevant = (labels.relevance >= campaign.threshold).astype(np.int64)
    refused = (labels.relevance == REFUSED).astype(np.int64)
    keys = (labels.topic, labels.judge, pools_of(campaign, labels.pooled))
    for (topic, judge, pool), figures in summed(keys, np.ones_like(relevant), relevant, refused):
        done.labels[topic, judge][pool] = figures
    if starts := np.flatnonzero(np.diff(labels.pooled, prepend=-1)).tolist():  # by document
        good = np.maximum.reduceat(relevant, starts)
        for (topic,), figures in summed([labels.topic[starts]], np.ones_like(good), good):
            done.documents[topic] = figures


def _sum_up_times(log: EventColumns, done: Done) -> None:
    here = np.flatnonzero(log.here)
    for (topic, judge), (key,) in summed((log.topic[here], log.judge[here]), log.key[here], how=np.maximum):
        at = log.at[np.searchsorted(log.key, key)]
        done.seen[topic, judge] = datetime.fromtimestamp(float(at), UTC)
    timed = np.flatnonzero(log.here & log.judging & ~np.isnan(log.seconds))
    seconds = log.seconds[timed]
    second = np.rint(seconds).astype(np.int64)
    keys = log.topic[timed], log.judge[timed], second
    for (topic, judge, whole), (n, total) in summed(keys, np.ones_like(second), seconds):
        done.timings[topic, judge].add(whole, n, total)

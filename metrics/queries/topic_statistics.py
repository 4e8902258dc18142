"""A run's scores by topic beside the minimum, median and maximum of all ranked runs, without names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.models import QrelsRelease
from metrics.measures.base import BadMeasure, Measure
from metrics.queries.scores import public_runs, score_table, topics_with_places
from pooling.models import Run, Topic

FEWEST_RUNS, FEWEST_GROUPS = 3, 2
TOO_FEW = (
    f"Statistics are shown from {FEWEST_RUNS} ranked runs of at least {FEWEST_GROUPS} groups on."
    " With fewer runs, they would show the scores of single runs."
)


class TopicStatistic(NamedTuple):
    """A topic, the score of the run, and three figures of all ranked runs."""

    topic: Topic
    own: float
    minimum: float
    median: float
    maximum: float


class TopicStatistics(NamedTuple):
    """Statistics on one measure, topics in campaign order. refusal: why there are none, "" otherwise."""

    measure: Measure
    lines: list[TopicStatistic]
    refusal: str = ""


def shows_statistics(release: QrelsRelease) -> bool:
    """Return whether the organiser allows statistics, and participants may see the release."""
    return release.campaign.shows_topic_statistics and release.state != QrelsRelease.State.INTERNAL


def topic_statistics(release: QrelsRelease, run: Run, measure: Measure) -> TopicStatistics:
    """Return the statistics beside the scores of a run, which is not counted if it is not ranked.

    Hidden and withdrawn runs and runs submitted after a release are not ranked. A topic that a run lacks has
    the score that trec_eval gives it, for most measures 0.
    """
    ranked = [other for other in public_runs(release) if getattr(other, "after_release", None) is None]
    if len(ranked) < FEWEST_RUNS or len({other.group for other in ranked if other.group}) < FEWEST_GROUPS:
        return TopicStatistics(measure, [], TOO_FEW)
    runs = [run, *(other for other in ranked if other.pk != run.pk)]
    try:
        table = score_table(release, runs, [measure])
    except BadMeasure as error:
        return TopicStatistics(measure, [], f"{measure.name} cannot be computed: {error}.")
    values = table.values[0]
    counted = values if run in ranked else values[1:]
    low, median, high = np.quantile(counted, [0, 0.5, 1], axis=0)
    return TopicStatistics(
        measure,
        [
            TopicStatistic(topic, float(values[0, at]), float(low[at]), float(median[at]), float(high[at]))
            for topic, at in topics_with_places(release, table)
        ],
    )

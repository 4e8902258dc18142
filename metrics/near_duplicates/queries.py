"""The scores of runs under three readings of the near duplicates of a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.models import DuplicateMember, QrelsRelease
from assess.release.formats import PROPAGATED
from metrics.engine.evaluate import score
from metrics.engine.stored_runs import RegradedQrels, regrade
from metrics.measures.base import Measure
from metrics.near_duplicates.novelty import NO_CLASS, novel_grades
from metrics.queries.scores import (
    mean_scores,
    ranked_runs_for,
    stored_runs,
    threshold_of,
    without_late_runs,
)
from pooling.arrays import IntVector
from pooling.formats.qrels import Qrels, parse_qrels
from pooling.models import Run
from pooling.queries.caching import cached
from pooling.queries.runs import docno_table, docnos_version


class RunReadings(NamedTuple):
    """The mean of a measure for one run.

    judged: with judged documents only, as on the leaderboard. propagated: with propagated labels. novel: with
    these, and later members of a class counted non-relevant.
    """

    run: Run
    judged: float
    propagated: float
    novel: float


def run_readings(user: User, release: QrelsRelease, measure: Measure) -> list[RunReadings]:
    """Return the scores of the ranked runs that a person may see, the best with propagated labels first."""
    runs = without_late_runs(ranked_runs_for(user, release))
    judged = mean_scores(release, runs, [measure])[0].tolist()
    rows = [
        RunReadings(run, first, *others)
        for run, first, others in zip(runs, judged, _readings(release, runs, measure), strict=True)
    ]
    sign = 1 if measure.direction == "lower" else -1
    return sorted(rows, key=lambda row: (sign * row.propagated, row.run.tag))


def _readings(release: QrelsRelease, runs: Sequence[Run], measure: Measure) -> list[tuple[float, float]]:
    file = release.files.get(kind=PROPAGATED)
    keys = [run.pk for run in runs]
    version = file.sha256, keys, measure.name, docnos_version(release.campaign)

    def compute() -> list[tuple[float, float]]:
        with file.file.open("rb") as content:
            qrels = parse_qrels(content.read(), str(release))
        regraded = RegradedQrels(qrels, docno_table(release.campaign))
        classes, everything = classes_of(release, qrels), regraded.index(qrels.grades)
        values = []
        for run in stored_runs(runs):
            hits = regraded.hits_of(run, threshold_of(release))
            novel = regraded.index(novel_grades(qrels.grades, classes, hits.grade))
            means = (score(regrade(hits, index), [measure]).means[0] for index in (everything, novel))
            first, second = map(float, means)
            values.append((first, second))
        return values

    return cached(release.campaign, f"near-duplicates-{release.number}", version, compute)


def classes_of(release: QrelsRelease, qrels: Qrels) -> IntVector:
    """Return the class of each document of the qrels with propagated labels, NO_CLASS without one.

    Documents that were split from their classes when the release was frozen have none.
    """
    split = {(topic, docno) for topic, docno in release.manifest["propagated"]["split"]}
    members = DuplicateMember.objects.filter(duplicate_class__classification__campaign=release.campaign)
    fields = (
        "pooled__topic__number",
        "pooled__docno",
        "duplicate_class",
        "duplicate_class__representative__docno",
    )
    class_of: dict[tuple[str, str], int] = {}
    for topic, docno, key, first in members.order_by().values_list(*fields):
        if (topic, docno) not in split:
            class_of[topic, docno] = class_of[topic, first] = key
    topics = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets)).tolist()
    keys = [
        class_of.get((qrels.topics[topic], docno.decode()), NO_CLASS)
        for topic, docno in zip(topics, qrels.docnos.tolist(), strict=True)
    ]
    numbers = {key: number for number, key in enumerate(sorted(set(keys) - {NO_CLASS}))} | {
        NO_CLASS: NO_CLASS
    }
    return np.array([numbers[key] for key in keys], dtype=np.int64)

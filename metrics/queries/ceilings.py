"""Judges scored as if they were runs, by each other's labels."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache as cache_calls
from itertools import permutations
from typing import NamedTuple

import numpy as np
from django.core.cache import cache

from assess.queries import Scope, latest_release
from assess.queries.caching import HOUR
from assess.queries.pooled_columns import PooledColumns, pooled_columns
from metrics.hits import Setting
from metrics.human_ceiling import JudgeAsRun
from metrics.index import index_qrels
from metrics.measure import Measure
from metrics.queries.stand_ins import GradeTable, official_qrels, stand_ins
from metrics.queries.swaps import Scored, kept_with_runs, scored_by_judges
from metrics.ranking import upward
from pooling.qrels import Qrels
from pooling.runfile import Run

MOST_JUDGES = 6

Bounds = tuple[float, float, float]
"""A measure under the worst order of equal grades, over all of them, and under the best."""


class Ceiling(NamedTuple):
    """A judge scored as if a run, by another one's labels, over the topics that both cover.

    expected: over random orders of the documents of equal grade; worst, best: of them. run, run_score: the
    best run by the same labels.
    """

    judge: str
    against: str
    topics: int
    worst: float
    expected: float
    best: float
    run: str
    run_score: float


def human_ceilings(scope: Scope, measure: Measure) -> list[Ceiling]:
    """Score the judges who cover most topics as if they were runs, by each other's qrels."""
    found = scored_by_judges(scope, measure)
    return kept_with_runs(scope, "ceilings", measure, lambda: _human_ceilings(scope, found, measure))


def _human_ceilings(scope: Scope, found: Scored, measure: Measure) -> list[Ceiling]:
    if len(found.judges) < 2:
        return []
    official = official_qrels(scope.campaign, latest_release(scope.campaign))
    grades = stand_ins(scope, official).grades
    most = np.argsort(-found.judged.sum(axis=1), kind="stable")[:MOST_JUDGES].tolist()
    documents = pooled_columns(scope.campaign)
    runs = {row: judge_as_run(scope, found.judges[row], documents) for row in most}
    about = f"{official.name} {scope.campaign.threshold}".encode() + official.documents.tobytes()
    told = {row: (_told(runs[row]), hashlib.sha256(about + grades[row].tobytes()).digest()) for row in most}
    bounds = _Bounds(runs, official.qrels, grades, measure, scope.campaign.threshold)
    key = f"ceiling-bounds-{scope.campaign.pk}-{measure.name}-{scope.name}"
    before: dict[tuple[object, ...], Bounds] = cache.get(key) or {}
    now: dict[tuple[object, ...], Bounds] = {}
    ceilings = []
    for row, other in permutations(most, 2):
        shared = np.flatnonzero(found.judged[row] & found.judged[other])
        topics = tuple(found.topics[place] for place in shared.tolist())
        if not topics:
            continue
        pair = topics, told[row][0], told[other][1]
        now[pair] = before.get(pair) or bounds.of(row, other, topics)
        means = found.scores[other, shared].mean(axis=0)
        best = int(upward(means, measure.direction).argmax())
        names = found.judges[row], found.judges[other]
        ceilings.append(Ceiling(*names, len(topics), *now[pair], found.tags[best], float(means[best])))
    cache.set(key, now, HOUR)  # a label changes one judge's pairs alone
    return ceilings


class _Bounds:
    """What judges score by each other's grades of the official documents; each made ready once, when asked.

    runs: row -> the judge's labels as a run. grades: shape (judges, documents), in the same rows.
    """

    def __init__(
        self, runs: Mapping[int, Run], official: Qrels, grades: GradeTable, measure: Measure, threshold: int
    ) -> None:
        documents = index_qrels(official)
        self._official, self._grades, self._measure = official, grades, measure
        self._judge = cache_calls(lambda row: JudgeAsRun(runs[row], documents, Setting(relevance=threshold)))

    def of(self, judge: int, other: int, topics: Sequence[str]) -> Bounds:
        given = replace(self._official, grades=self._grades[other])
        report = self._judge(judge).against(given, topics, [self._measure])
        return float(report.worst[0]), float(report.expected[0]), float(report.best[0])


def judge_as_run(scope: Scope, judge: str, documents: PooledColumns) -> Run:
    """Return a judge's labels as a run: every document that has a grade, which is its score, best first."""
    labels = scope.labels
    own = labels.places[labels.judges.index(judge)]
    rows = np.flatnonzero(own >= 0)
    rows = rows[np.lexsort((-own[rows], labels.topic[rows]))]
    places = np.searchsorted(documents.pk, np.array(labels.items, dtype=np.int64)[rows])
    codes, counts = np.unique(labels.topic[rows], return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    topics = tuple(labels.topics[code] for code in codes.tolist())
    return Run(
        judge, topics, offsets, documents.docno[places], np.array(labels.scale)[own[rows]].astype(float)
    )


def _told(run: Run) -> bytes:
    """Return what tells the labels of a judge from others."""
    told = hashlib.sha256(f"{run.topics}".encode())
    for column in (run.offsets, run.docnos, run.scores):
        told.update(column.tobytes())
    return told.digest()

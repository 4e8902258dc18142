"""Human ceilings: judges scored as if they were runs, by each other's labels."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import NamedTuple

import numpy as np

from assess.queries.agreement import AgreementScope
from assess.queries.pooled_columns import PooledColumns, pooled_columns
from assess.queries.releases import latest_release
from metrics.hits import Setting
from metrics.human_ceiling import JudgeAsRun
from metrics.index import index_qrels
from metrics.measure import Measure
from metrics.queries.stand_ins import official_qrels, stand_ins
from metrics.queries.swaps import Scored, kept_with_runs, scored_by_judges
from metrics.ranking import upward
from pooling.formats.runs import RunFile

MOST_JUDGES = 6


class Ceiling(NamedTuple):
    """A judge scored as if a run, by another judge's labels, over the topics that both cover.

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


def human_ceilings(scope: AgreementScope, measure: Measure) -> list[Ceiling]:
    """Score the MOST_JUDGES judges who cover most topics as if they were runs, by each other's labels."""
    found = scored_by_judges(scope, measure)
    return kept_with_runs(scope, "ceilings", measure, lambda: _human_ceilings(scope, found, measure))


def _human_ceilings(scope: AgreementScope, found: Scored, measure: Measure) -> list[Ceiling]:
    if len(found.judges) < 2:
        return []
    official = official_qrels(scope.campaign, latest_release(scope.campaign))
    grades = stand_ins(scope, official).grades
    most = np.argsort(-found.judged.sum(axis=1), kind="stable")[:MOST_JUDGES].tolist()
    documents = pooled_columns(scope.campaign)
    index, setting = index_qrels(official.qrels), Setting(relevance=scope.campaign.threshold)
    judges = {
        row: JudgeAsRun(judge_as_run(scope, found.judges[row], documents), index, setting) for row in most
    }
    ceilings = []
    for row, other in permutations(most, 2):
        shared = np.flatnonzero(found.judged[row] & found.judged[other])
        topics = tuple(found.topics[place] for place in shared.tolist())
        if not topics:
            continue
        given = replace(official.qrels, grades=grades[other])
        report = judges[row].against(given, topics, [measure])
        means = found.scores[other, shared].mean(axis=0)
        best = int(upward(means, measure.direction).argmax())
        names = found.judges[row], found.judges[other]
        bounds = float(report.worst[0]), float(report.expected[0]), float(report.best[0])
        ceilings.append(Ceiling(*names, len(topics), *bounds, found.tags[best], float(means[best])))
    return ceilings


def judge_as_run(scope: AgreementScope, judge: str, documents: PooledColumns) -> RunFile:
    """Return a judge's labels as a run: the graded documents, with the grade as score, best first."""
    labels = scope.labels
    own = labels.places[labels.judges.index(judge)]
    rows = np.flatnonzero(own >= 0)
    rows = rows[np.lexsort((-own[rows], labels.topic[rows]))]
    places = np.searchsorted(documents.pk, np.array(labels.items, dtype=np.int64)[rows])
    codes, counts = np.unique(labels.topic[rows], return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    topics = tuple(labels.topics[code] for code in codes.tolist())
    return RunFile(
        judge, topics, offsets, documents.docno[places], np.array(labels.scale)[own[rows]].astype(float)
    )

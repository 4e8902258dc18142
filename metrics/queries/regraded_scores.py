"""The scores of runs under several sets of grades of the same documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assess.queries.campaign_reads import CampaignReads
from metrics.engine.evaluate import deepest_cutoff, topic_values
from metrics.engine.hits import Hits
from metrics.engine.qrels_index import QrelsIndex
from metrics.engine.stored_runs import NOT_JUDGED, RegradedQrels, regrade
from metrics.measures.base import Measure
from metrics.queries.judge_qrels import OfficialQrels
from metrics.queries.scores import stored_runs
from pooling.arrays import IntVector, Matrix
from pooling.models import Run


def regraded_scores(
    reads: CampaignReads,
    runs: Sequence[Run],
    official: OfficialQrels,
    grades: Sequence[IntVector],
    measure: Measure,
    threshold: int,
) -> list[Matrix]:
    """Return the scores of the runs under each of the grades, (topics, runs), topics in byte order.

    grades: of the official documents, NOT_JUDGED where a document has none. threshold: the grade from which a
    document is relevant.
    """
    if not official.qrels.topics:
        return [np.zeros((0, len(runs))) for _ in grades]
    ranked = stored_runs(runs)
    regraded = RegradedQrels(official.qrels, reads.docnos)
    indexes = [regraded.index(vector) for vector in grades]
    if measure.at_ranks and isinstance(measure.cutoff, int):
        tops = [run.top(measure.cutoff) for run in ranked]
        return _scores_at_ranks(
            [regraded.hits_of(top, threshold) for top in tops], indexes, measure, threshold
        )
    columns, depth = [], deepest_cutoff([measure])
    for run in ranked:
        hits = regraded.hits_of(run, threshold)
        hits = hits.take(np.flatnonzero(hits.rank <= depth))
        columns.append([topic_values(regrade(hits, index), [measure])[:, 0] for index in indexes])
    topics = len(official.qrels.topics)
    return [
        np.array([column[index] for column in columns]).reshape(len(columns), topics).T
        for index in range(len(indexes))
    ]


def _scores_at_ranks(
    run_hits: Sequence[Hits], indexes: Sequence[QrelsIndex], measure: Measure, threshold: int
) -> list[Matrix]:
    """Return the same as `regraded_scores`, with the measure's `at_ranks`, which scores all runs at once.

    run_hits: see `RegradedQrels.hits_of`; without hits below the measure's cut-off.
    """
    assert measure.at_ranks and isinstance(measure.cutoff, int)
    rows = np.full(
        (len(run_hits), len(indexes[0].topics), measure.cutoff), -1
    )  # the last one, appended below
    for ranking, hits in zip(rows, run_hits, strict=True):
        ranking[hits.topic, hits.rank - 1] = hits.grade
    return [
        measure.at_ranks(index, np.append(index.qrels.grades, NOT_JUDGED)[rows], threshold).T
        for index in indexes
    ]

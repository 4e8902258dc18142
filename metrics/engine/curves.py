"""Curves of one run: precision against recall, recall against fallout, gain against rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.engine.hits import Hits, discount, ratio
from metrics.measures.collection import roc_points
from metrics.measures.dcg import ideal
from metrics.measures.textbook import exact_interpolated_precision
from pooling.arrays import Flags, IntVector, Matrix, Vector

RECALL_LEVELS = tuple(tenth / 10 for tenth in range(11))
ROC_POINTS = 101


def eleven_points(hits: Hits, rel: int | None = None) -> Matrix:
    """Interpolated precision at recall 0, 0.1, ... 1, exactly as the textbooks define it.

    Returns float64 of shape (topics, 11); a topic without relevant documents has 0 throughout. Manning,
    Raghavan & Schutze 2008.
    """
    return np.column_stack([exact_interpolated_precision(hits, level, rel) for level in RECALL_LEVELS])


class PrecisionRecall(NamedTuple):
    """Precision and recall after 1, 2, ... documents, float64 of shape (topics, depth)."""

    precision: Matrix
    recall: Matrix


def precision_recall_at_ranks(hits: Hits, depth: int, rel: int | None = None) -> PrecisionRecall:
    """Return precision (trec_eval `P_k`) and recall (`recall_k`) at every rank from 1 to `depth`.

    Recall is 0 in a topic without relevant documents. Precision at k divides by k also for shorter runs.
    """
    relevant = hits.relevant(rel)
    counts = _by_rank(hits.topics, depth, relevant.topic, relevant.rank, np.ones(len(relevant.rank)))
    counts = np.cumsum(counts, axis=1)
    recall = ratio(counts, np.broadcast_to(relevant.total[:, None], counts.shape))
    return PrecisionRecall(counts / np.arange(1, depth + 1), recall)


class GainCurves(NamedTuple):
    """Cumulated gain after 1, 2, ... documents, float64 of shape (topics, depth).

    ideal_cg, ideal_dcg: those of the best possible ranking of the judged documents.
    """

    cg: Matrix
    dcg: Matrix
    ndcg: Matrix
    ideal_cg: Matrix
    ideal_dcg: Matrix


def gain_curves(hits: Hits, depth: int) -> GainCurves:
    """Return CG, DCG and nDCG at every rank from 1 to `depth`: gain = grade, discount log2(rank + 1).

    nDCG is 0 where no grade is positive. Jarvelin & Kekalainen 2002; the values of trec_eval's `ndcg_cut`.
    """
    positive = hits.grade > 0
    grade = hits.grade[positive].astype(np.float64)
    gain = _by_rank(hits.topics, depth, hits.topic[positive], hits.rank[positive], grade)
    best = ideal(hits.index)
    ideal_gain = _by_rank(hits.topics, depth, best.topic, best.rank, best.gain)
    by_rank = discount(np.arange(1, depth + 1))
    dcg, ideal_dcg = np.cumsum(gain / by_rank, axis=1), np.cumsum(ideal_gain / by_rank, axis=1)
    return GainCurves(
        np.cumsum(gain, axis=1), dcg, ratio(dcg, ideal_dcg), np.cumsum(ideal_gain, axis=1), ideal_dcg
    )


def _by_rank(topics: int, depth: int, topic: IntVector, rank: IntVector, value: Vector) -> Matrix:
    """Return a table of topics x ranks with each value at its topic and rank, 0 elsewhere."""
    table = np.zeros((topics, depth))
    within_depth: Flags = rank <= depth
    table[topic[within_depth], rank[within_depth] - 1] = value[within_depth]
    return table


class RocCurve(NamedTuple):
    """A mean ROC curve: recall at each fallout, float64 of shape (points,). topics: the number averaged."""

    fallout: Vector
    recall: Vector
    topics: int


def mean_roc(hits: Hits, size: int, rel: int | None = None) -> RocCurve:
    """Return the ROC curve over the whole collection, averaged over topics at equal fallout.

    size: the number of documents in the collection. Most points are in the part of the retrieved documents;
    from there the curve is straight to (1, 1), as for a random order of the rest. Topics without relevant
    documents have no curve and are left out. Raises BadMeasure for a collection smaller than the retrieved
    set. Fawcett 2006 (vertical averaging).
    """
    curves = [points for points in roc_points(hits, rel, size) if len(points[0])]
    reached = max((float(fallout[-2]) for fallout, _ in curves), default=0.0)
    grid = np.append(np.linspace(0.0, reached, ROC_POINTS), 1.0)
    if not curves:
        return RocCurve(grid, np.zeros(len(grid)), 0)
    return RocCurve(grid, np.mean([_recall_at(grid, *points) for points in curves], axis=0), len(curves))


def _recall_at(grid: Vector, fallout: Vector, recall: Vector) -> Vector:
    """Return the recall of one curve at each fallout.

    A curve consists of steps for the retrieved documents and a straight line for the rest.
    """
    index = np.searchsorted(fallout[:-1], grid, side="right") - 1  # of the upper end of a step
    straight = np.interp(grid, fallout[-2:], recall[-2:])
    return np.where(grid > fallout[-2], straight, recall[:-1][index])

"""Bounds of scores: all unjudged documents of a run counted as non-relevant, or all as relevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.engine.evaluate import aggregate
from metrics.engine.hits import Hits
from metrics.engine.qrels_index import QrelsIndex
from metrics.measures.base import Measure
from pooling.arrays import IntVector, Vector
from pooling.formats.qrels import Qrels


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBounds:
    """Scores with all unjudged documents non-relevant, as judged, and with all unjudged documents relevant.

    unjudged: the number of retrieved documents without a grade in the qrels' topics, out of `retrieved`.
    grade: the grade for the case that all are relevant. irrelevant, scored, relevant: float64 of shape
    (measures,).
    """

    retrieved: int
    unjudged: int
    grade: int
    measures: tuple[Measure, ...]
    irrelevant: Vector
    scored: Vector
    relevant: Vector


def score_bounds(hits: Hits, measures: Sequence[Measure], grade: int) -> ScoreBounds:
    """Return the values of measures when every unjudged retrieved document has grade 0, or `grade`.

    For measures of the top ranks alone (P@k, RR, RBP, Success@k) these are the lowest and the highest value
    possible after more judging. For measures that divide by the relevant documents (AP, R@k, nDCG) those
    documents count in the divisor too, so that the second value can be below the first. `irrelevant`
    differs from `scored` only in measures that leave unjudged documents out, such as bpref.
    """
    everything = hits.all_retrieved
    unjudged = everything.grade < 0

    def means(given: int) -> Vector:
        return aggregate(_with_grade(everything, given), measures)

    return ScoreBounds(
        len(everything.rank),
        int(unjudged.sum()),
        grade,
        tuple(measures),
        means(0),
        aggregate(hits, measures),
        means(grade),
    )


def _with_grade(everything: Hits, given: int) -> Hits:
    """Return all retrieved documents as hits, with a grade for the unjudged ones, added to the qrels."""
    unjudged = everything.grade < 0
    index = everything.index
    judged = index.grades >= 0
    topic = np.concatenate([index.topic_of_grades[judged], everything.topic[unjudged]])
    grades = np.concatenate([index.grades[judged], np.full(int(unjudged.sum()), given)])
    return replace(
        everything,
        index=_index_of(index.topics, topic, grades),
        grade=np.where(unjudged, given, everything.grade),
        _cache={},
    )


def _index_of(topics: tuple[str, ...], topic: IntVector, grades: IntVector) -> QrelsIndex:
    """Return an index of documents without real docnos: measures read only grades from an index."""
    order = np.argsort(topic, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=len(topics)))])
    names = np.arange(len(order)).astype("S16")
    return QrelsIndex(Qrels(topics, offsets, names, grades[order], np.full(len(order), b"0", dtype="S8")))

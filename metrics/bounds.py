"""What a run would score if its unjudged documents were all non-relevant, or all relevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.evaluate import aggregated
from metrics.hits import Hits
from metrics.index import QrelsIndex
from metrics.measure import Measure
from pooling.arrays import IntVector, Vector
from pooling.formats.qrels import Qrels


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBounds:
    """The two extreme readings of a run's unjudged documents, and the score as it is.

    unjudged: how many retrieved documents of the qrels' topics have no grade, of `retrieved`. grade: what
    they are given when all are relevant. irrelevant, scored, relevant: float64 of shape (measures,).
    """

    retrieved: int
    unjudged: int
    grade: int
    measures: tuple[Measure, ...]
    irrelevant: Vector
    scored: Vector
    relevant: Vector


def score_bounds(hits: Hits, measures: Sequence[Measure], grade: int) -> ScoreBounds:
    """Return what measures give when every unjudged document that was retrieved has grade 0, or `grade`.

    For measures of the top ranks alone (P@k, RR, RBP, Success@k) these are the lowest and the highest value
    that more judging can bring. Measures that divide by what is relevant (AP, R@k, nDCG) are read with those
    documents counted as relevant there too, so that the second reading may lie below the first. `irrelevant`
    differs from `scored` only in measures that leave unjudged documents out, such as bpref.
    """
    everything = hits.everything
    unjudged = everything.grade < 0

    def means(given: int) -> Vector:
        return aggregated(_with_grade(everything, given), measures)

    return ScoreBounds(
        len(everything.rank),
        int(unjudged.sum()),
        grade,
        tuple(measures),
        means(0),
        aggregated(hits, measures),
        means(grade),
    )


def _with_grade(everything: Hits, given: int) -> Hits:
    """Return all retrieved documents as hits, the unjudged ones with a grade, in qrels that hold them too."""
    unjudged = everything.grade < 0
    index = everything.index
    judged = index.grades >= 0
    topic = np.concatenate([index.topic_of_grades[judged], everything.topic[unjudged]])
    grades = np.concatenate([index.grades[judged], np.full(int(unjudged.sum()), given)])
    return replace(
        everything,
        index=_index_of(index.topics, topic, grades),
        grade=np.where(unjudged, given, everything.grade),
        _kept={},
    )


def _index_of(topics: tuple[str, ...], topic: IntVector, grades: IntVector) -> QrelsIndex:
    """Return qrels of nameless documents: measures ask an index for grades, never for docnos."""
    order = np.argsort(topic, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=len(topics)))])
    names = np.arange(len(order)).astype("S16")
    return QrelsIndex(Qrels(topics, offsets, names, grades[order], np.full(len(order), b"0", dtype="S8")))

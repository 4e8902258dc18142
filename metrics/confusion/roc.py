"""The ROC curve of a graded source: its grades as scores of whether a document is relevant to the expert."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.plots import Plot, PlotValue
from pooling.arrays import Flags, IntVector


class GradePoint(NamedTuple):
    """Recall and fallout if the documents with at least this grade of the system were called relevant."""

    grade: str
    fallout: float
    recall: float


class GradeRoc(NamedTuple):
    """The curve. points: the grades that the system gave, highest first. auc: the area below it."""

    points: list[GradePoint]
    auc: float


def grade_roc(counts: IntVector, relevant: Flags, names: list[str]) -> GradeRoc | None:
    """Return the curve, or None if the expert called no document relevant, or every one.

    counts: documents by grade of the expert (rows) and of the system (columns), both from the lowest grade
    on, of shape (grades, grades). relevant: whether the expert's grade is relevant, of shape (grades,). The
    area is that of the straight lines between the points: the chance that a relevant document has a higher
    grade than another one, where equal grades count one half (Fawcett 2006, section 7).

    >>> grade_roc(np.array([[3, 1], [1, 3]]), np.array([False, True]), ["0", "1"]).auc
    0.75
    """
    yes, no = counts[relevant].sum(axis=0)[::-1], counts[~relevant].sum(axis=0)[::-1]
    if not yes.sum() or not no.sum():
        return None
    given = np.flatnonzero(yes + no)
    recall = np.cumsum(yes)[given] / yes.sum()
    fallout = np.cumsum(no)[given] / no.sum()
    points = [
        GradePoint(names[-1 - place], *pair)
        for place, *pair in zip(given.tolist(), fallout.tolist(), recall.tolist(), strict=True)
    ]
    higher = np.cumsum(yes) - yes / 2  # relevant documents with a higher grade, half of those with the same
    return GradeRoc(points, float((no * higher).sum() / (yes.sum() * no.sum())))


def grade_roc_plot(curve: GradeRoc, system: str, topics: int) -> Plot:
    rows: list[list[PlotValue]] = [[0.0, 0.0]]
    rows += ([point.fallout, point.recall] for point in curve.points)
    grades = ", ".join(point.grade for point in curve.points)
    return Plot(
        "roc",
        "lines",
        "ROC",
        f"AUC {curve.auc:.4f}; grades of {system} as scores, a point for each, highest first: {grades}",
        "fallout",
        "recall",
        topics,
        ["fallout", "recall"],
        rows,
        {"diagonal": True, "from_x": 0, "to_x": 1, "from_y": 0, "to_y": 1},
    )

"""Plots as data: series, axes, and the same as a table. `static/js/plots.js` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metrics.engine.curves import RECALL_LEVELS, GainCurves, PrecisionRecall, RocCurve
from metrics.measures.base import Measure
from metrics.topic_difficulty import TopicFigures
from pooling.arrays import IntVector, Matrix

PlotValue = str | int | float | None
MOST_POINTS = 200  # of a curve that has one for every rank
MOST_TOPICS, SAMPLED_TOPICS = 500, 300  # of more topics than the first, as many as the second are drawn


@dataclass(frozen=True)
class Plot:
    """One plot and its table.

    name: in file names and element ids. kind: how it is drawn ("lines", "bars", "boxes"). x, y: the axes'
    titles, never empty. topics: their number, shown beside the title. columns, rows: the table; the
    first column is the x axis, the others are series. more: further options of the kind. sampled: the
    number of topics drawn, 0 if all are.
    """

    name: str
    kind: str
    title: str
    about: str
    x: str
    y: str
    topics: int
    columns: Sequence[str]
    rows: Sequence[Sequence[PlotValue]]
    more: Mapping[str, Any] = field(default_factory=dict)
    sampled: int = 0

    @property
    def data(self) -> dict[str, Any]:
        """The data for the script, which draws them and saves them as CSV."""
        return {
            "name": self.name,
            "x": self.x,
            "y": self.y,
            "topics": self.topics,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            **self.more,
        }

    @property
    def cells(self) -> list[list[str]]:
        """The rows as text: four digits, "" for an undefined value."""
        return [[_shown(cell) for cell in row] for row in self.rows]


def _shown(cell: PlotValue) -> str:
    if cell is None:
        return ""
    return f"{cell:.4f}".replace("-", "−") if isinstance(cell, float) else str(cell)


def with_sampled_topics(plot: Plot) -> Plot:
    """Return a plot of one row per topic: of more than MOST_TOPICS rows, an even sample is drawn.

    The first and the last row are in the sample.
    """
    count = len(plot.rows)
    if count <= MOST_TOPICS:
        return plot
    indices = np.linspace(0, count - 1, SAMPLED_TOPICS).round().astype(int).tolist()
    return replace(plot, rows=[plot.rows[index] for index in indices], sampled=len(indices))


def precision_recall_plot(tag: str, curve: Matrix, field_curves: Matrix, topics: int) -> Plot:
    """Interpolated precision at 11 recall points, with the middle half of the other runs as a band.

    curve: of the run, shape (11,). field_curves: of all runs, shape (runs, 11).
    """
    low, median, high = np.quantile(field_curves, [0.25, 0.5, 0.75], axis=0)
    rows = zip(RECALL_LEVELS, curve.tolist(), median.tolist(), low.tolist(), high.tolist(), strict=True)
    return Plot(
        "precision-recall",
        "lines",
        "Precision and recall",
        "interpolated at 11 points, recall compared exactly (ExactIPrec);"
        f" band: middle half of {len(field_curves)} runs",
        "recall",
        "interpolated precision",
        topics,
        ["recall", tag, f"median of {len(field_curves)} runs", "lower quartile", "upper quartile"],
        [list(row) for row in rows],
        {"band": [3, 4], "from_x": 0, "to_x": 1, "from_y": 0, "to_y": 1},
    )


def raw_precision_recall_plot(curves: PrecisionRecall) -> Plot:
    """Precision against recall after 1, 2, ... documents, each averaged over topics, not interpolated."""
    precision, recall = curves.precision.mean(axis=0), curves.recall.mean(axis=0)
    ranks = _thinned(len(precision))
    rows: list[list[PlotValue]] = [[float(recall[k]), float(precision[k]), k + 1] for k in ranks]
    return Plot(
        "precision-recall-raw",
        "lines",
        "Precision and recall at each rank",
        "raw: means over topics after 1, 2, … documents",
        "mean recall",
        "mean precision",
        len(curves.precision),
        ["mean recall", "mean precision", "rank"],
        rows,
        {"series": [1], "from_x": 0, "to_x": 1, "from_y": 0, "to_y": 1},
    )


def topic_curve_plot(recall: Matrix, precision: Matrix, interpolated: Matrix) -> Plot:
    """One topic: raw precision at each relevant document found, and interpolated precision at 11 points.

    recall, precision: shape (relevant retrieved,). interpolated: shape (11,).
    """
    raw = zip(recall.tolist(), precision.tolist(), strict=True)
    rows: list[list[PlotValue]] = [[r, p, None] for r, p in raw]
    rows += [[r, None, p] for r, p in zip(RECALL_LEVELS, interpolated.tolist(), strict=True)]
    return Plot(
        "precision-recall-topic",
        "lines",
        "Precision and recall",
        "raw at each relevant document found, and interpolated",
        "recall",
        "precision",
        1,
        ["recall", "raw", "interpolated, 11 points"],
        rows,
        {"from_x": 0, "to_x": 1, "from_y": 0, "to_y": 1},
    )


def roc_plot(curve: RocCurve, auc: float, size: int) -> Plot:
    """Recall against fallout over the whole collection."""
    rows: list[list[PlotValue]] = [
        list(row) for row in zip(curve.fallout.tolist(), curve.recall.tolist(), strict=True)
    ]
    return Plot(
        "roc",
        "lines",
        "ROC",
        f"AUC {auc:.4f}; collection of {size:,} documents; straight after the last retrieved",
        "fallout",
        "recall",
        curve.topics,
        ["fallout", "recall"],
        rows,
        {"diagonal": True, "from_x": 0, "to_x": 1, "from_y": 0, "to_y": 1},
    )


def gain_plot(gains: GainCurves) -> Plot:
    """CG and DCG beside those of the ideal ranking, means over topics."""
    curves = {"CG": gains.cg, "ideal CG": gains.ideal_cg, "DCG": gains.dcg, "ideal DCG": gains.ideal_dcg}
    return _by_rank(
        "gain", "Cumulated gain", "gain = grade, discount log2(rank + 1)", "mean gain", curves, {"from_y": 0}
    )


def ndcg_plot(gains: GainCurves) -> Plot:
    """nDCG at every rank, mean over topics."""
    return _by_rank(
        "ndcg", "nDCG at k", "DCG over that of the ideal ranking", "mean nDCG", {"nDCG": gains.ndcg},
        {"from_y": 0, "to_y": 1},
    )  # fmt: skip


def _by_rank(
    name: str, title: str, about: str, y: str, curves: Mapping[str, Matrix], more: Mapping[str, Any]
) -> Plot:
    means = np.column_stack([curve.mean(axis=0) for curve in curves.values()])
    topics, depth = next(iter(curves.values())).shape
    rows: list[list[PlotValue]] = [[k + 1, *means[k].tolist()] for k in _thinned(depth)]
    return Plot(name, "lines", title, about, "rank k", y, topics, ["rank k", *curves], rows, more)


def against_field_plot(tag: str, measure: str, topics: Sequence[str], mine: Matrix, others: Matrix) -> Plot:
    """One bar per topic for this run, with the lowest, median and highest of the field.

    mine: shape (topics,). others: the field with this run in it, shape (runs, topics).
    """
    low, median, high = others.min(axis=0), np.median(others, axis=0), others.max(axis=0)
    order = np.argsort(-mine, kind="stable").tolist()
    rows: list[list[PlotValue]] = [
        [topics[t], *(float(column[t]) for column in (mine, low, median, high))] for t in order
    ]
    plot = Plot(
        "by-topic",
        "bars",
        "By topic",
        f"{measure}, against {len(others)} runs",
        f"topic, in order of this run's {measure}",
        measure,
        len(topics),
        ["topic", tag, "lowest", "median", "highest"],
        rows,
    )
    return with_sampled_topics(plot)


def difficulty_plot(
    measure: Measure, runs: int, topics: Sequence[str], figures: Sequence[TopicFigures]
) -> Plot:
    """The field on each topic: the range, the middle half, the median and the mean; hardest last."""
    easiest = 1 if measure.direction == "lower" else -1
    order = sorted(range(len(topics)), key=lambda topic: easiest * figures[topic].mean)
    rows: list[list[PlotValue]] = [[topics[t], *(float(value) for value in figures[t][:6])] for t in order]
    plot = Plot(
        "difficulty",
        "boxes",
        "Difficulty and spread",
        f"{measure} of {runs} runs; box: middle half",
        f"topic, in order of mean {measure}",
        measure.name,
        len(topics),
        ["topic", "lowest", "lower quartile", "median", "upper quartile", "highest", "mean"],
        rows,
    )
    return with_sampled_topics(plot)


def discrimination_plot(
    measure: Measure, runs: int, topics: Sequence[str], figures: Sequence[TopicFigures]
) -> Plot:
    """The discrimination of topics against their mean score."""
    rows: list[list[PlotValue]] = [
        [figure.mean, figure.discrimination, topic]
        for topic, figure in zip(topics, figures, strict=True)
        if figure.discrimination is not None
    ]
    plot = Plot(
        "discrimination",
        "points",
        "Which topics tell runs apart",
        f"{runs} runs; near 1: orders runs as the other topics do",
        f"mean {measure} ({'high' if measure.direction == 'lower' else 'low'}: hard)",
        "discrimination (item-rest r)",
        len(rows),
        [f"mean {measure}", "discrimination", "topic"],
        rows,
        {"from_x": 0, "to_y": 1},
    )
    return with_sampled_topics(plot)


def _thinned(depth: int) -> list[int]:
    """Return the ranks (from 0) that are drawn: all if few, else ever fewer with depth."""
    if depth <= MOST_POINTS:
        return list(range(depth))
    return sorted({round(float(rank)) - 1 for rank in np.geomspace(1, depth, MOST_POINTS)})


def saturation_plot(
    relevant_counts: Sequence[int] | IntVector, topics: int, name: str, title: str, order: str = "judging"
) -> Plot:
    """Relevant documents found against judged documents.

    relevant_counts: after 0, 1, ... documents in this order.
    """
    judged = len(relevant_counts) - 1
    marks = sorted({round(judged * step / 60) for step in range(61)})
    return Plot(
        name,
        "lines",
        title,
        f"relevant documents found, in the order of {order}",
        "documents judged",
        "relevant found",
        topics,
        ["documents judged", "relevant found"],
        [[mark, int(relevant_counts[mark])] for mark in marks],
        {"from_x": 0, "from_y": 0},
    )

"""Scores of answers as columns of a table of runs: means over the topics in which every run has a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from metrics.nuggets.values import NuggetMeasure, NuggetScore
from metrics.rankings.measure_columns import MeasureColumn, measure_means


def measure_column(
    measure: NuggetMeasure, name: str, by_topic: Mapping[str, Sequence[NuggetScore]], otherwise: str
) -> MeasureColumn:
    """Return the column of a measure. name: as files write it. by_topic: topic -> scores of the runs.

    A topic in which a run has no score is left out, for the reasons of its scores, or `otherwise`.
    """
    rows, undefined = [], dict[str, str]()
    for topic, scores in by_topic.items():
        values = [score.value for score in scores if score.value is not None]
        if len(values) == len(scores):
            rows.append(values)
        else:
            reasons = dict.fromkeys(score.reason for score in scores if score.value is None)
            undefined[topic] = "; ".join(filter(None, reasons)) or otherwise
    runs = len(next(iter(by_topic.values()), ()))
    values_of = np.array(rows, dtype=np.float64).reshape(len(rows), runs)
    return MeasureColumn(
        name,
        measure.meaning,
        undefined,
        measure_means(values_of, measure.low, measure.high, measure.direction),
        values_of,
        measure.direction,
        f"{measure.formula}; undefined {measure.undefined}",
        measure.source,
    )

"""Change of judging over time: relevant rate and agreement of early and late labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assess.kappa.agreement import coefficients
from assess.kappa.coefficient import Coefficient, Floats
from assess.kappa.labels import Labels
from assess.kappa.registry import REGISTRY
from assess.no_grade import NoGrade

DRIFT_COEFFICIENTS = tuple(REGISTRY[key] for key in ("percent", "fleiss", "fleiss-binary"))


class Period(NamedTuple):
    """Labels from `begin` up to `end` (the end of the last period included), in the unit of the given times.

    labels: how many were given; rate: the share of them that is relevant, None without any. rates: judge ->
    the same, for judges with a label. coefficients: of the documents whose last label was given in the
    period, because their judges could not agree earlier.
    """

    begin: float
    end: float
    labels: int
    rate: float | None
    rates: dict[str, float]
    coefficients: list[Coefficient]


def thirds(times: Floats) -> list[float]:
    """Return four edges that divide the labels into three equally large groups by time. [] without labels.

    times: of labels, nan for none; equal times stay in one group.

    >>> thirds(np.array([[1, 2, 3], [4, 5, 6.0]]))
    [1.0, 3.0, 5.0, 6.0]
    """
    given = times[~np.isnan(times)]
    if not len(given):
        return []
    last = len(given) - 1
    places = [0, round(len(given) / 3), round(len(given) * 2 / 3), last] if last > 1 else [0, last]
    return sorted(set(np.partition(given, places)[places].tolist()))


def drift(labels: Labels, times: Floats, edges: Sequence[float]) -> list[Period]:
    """Return one period for each two neighbouring edges.

    times: when each label was given, with the shape of `labels.places`, nan for none. A label at an edge
    belongs to the period that begins there; the last period includes its end. A single edge is one period.
    """
    ends = [*edges[1:-1], np.inf] if len(edges) > 1 else [np.inf for _ in edges]
    latest = np.where(np.isnan(times), -np.inf, times).max(axis=0, initial=-np.inf)
    return [
        _period(labels, times, latest, (begin, end), edges[-1])
        for begin, end in zip(edges, ends, strict=False)
    ]


def _period(
    labels: Labels, times: Floats, latest: Floats, bounds: tuple[float, float], last: float
) -> Period:
    begin, end = bounds
    given = (labels.places >= 0) & (times >= begin) & (times < end)
    relevant = given & (labels.places >= labels.cut)
    counts, relevant_sums = given.sum(axis=1), relevant.sum(axis=1)
    rates = {
        judge: relevant_sums[row] / counts[row] for row, judge in enumerate(labels.judges) if counts[row]
    }
    complete = (latest >= begin) & (latest < end)
    own = replace(labels, places=np.where(complete, labels.places, NoGrade.MISSING).astype(np.int8))
    total = int(counts.sum())
    rate = int(relevant_sums.sum()) / total if total else None
    return Period(begin, min(end, last), total, rate, rates, coefficients(own, DRIFT_COEFFICIENTS))

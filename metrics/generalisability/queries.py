"""How many topics a stable order of the runs of a release needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from metrics.generalisability.mappings import Indicators, indicators
from metrics.generalisability.plots import stability_plot
from metrics.generalisability.studies import (
    STABILITY,
    GStudy,
    Stability,
    TopicsNeeded,
    among_best,
    d_study,
    g_study,
)
from metrics.measures.base import Measure
from metrics.plots import Plot
from metrics.queries.scores import ScoreTable

TARGETS = (0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
NUMBERS = (5, 10, 25, 50, 75, 100, 150, 200, 300, 500)
COLUMNS = (
    "topics", "relative", "relative_low", "relative_high", "absolute", "absolute_low", "absolute_high",
    *Indicators._fields,
)  # fmt: skip


class Component(NamedTuple):
    """A row of the table of variance components. negative: whether the estimate was, and was set to 0."""

    name: str
    variance: float
    share: float | None
    mean_square: float
    negative: bool


class CollectionStudy(NamedTuple):
    """The G study of a release on a measure, and its D study.

    runs, left_out: how many are in the study, and how many are left out. now: the stability of the scores
    as they are. needed: topics for each of TARGETS; target: those for STABILITY.
    """

    study: GStudy
    runs: int
    left_out: int
    now: Stability
    target: TopicsNeeded
    needed: list[TopicsNeeded]
    numbers: list[Stability]
    plot: Plot

    @property
    def components(self) -> Iterator[Component]:
        variances, squares = self.study.variances, self.study.mean_squares
        if not variances or not squares:
            return
        shares = self.study.shares or (None, None, None)
        names = ("Runs", "Topics", "Runs × topics, and chance")
        rows = zip(names, variances, shares, squares, variances._fields, strict=True)
        for name, variance, share, square, field in rows:
            yield Component(name, variance, share, square, field in self.study.negative)

    @property
    def indicators(self) -> Iterator[tuple[Stability, Indicators]]:
        """Each number of topics with the indicators that its stability had in other collections."""
        for each in self.numbers:
            yield each, indicators(each.relative.value, each.absolute.value)

    @property
    def rows(self) -> Iterator[dict[str, Any]]:
        """The stability of each number of topics and its indicators, by COLUMNS."""
        for (topics, relative, absolute), expected in self.indicators:
            yield dict(zip(COLUMNS, (topics, *relative, *absolute, *expected), strict=True))


def collection_study(table: ScoreTable, measure: Measure, leave_out: float) -> CollectionStudy:
    """Return the study of the runs of a table, of which a share with the worst means is left out."""
    values = table.of(measure.name)[0].T
    remains = among_best(values, leave_out, measure.direction) if values.size else np.ones(0, dtype=bool)
    study, topics = g_study(np.ascontiguousarray(values[:, remains])), len(table.topics)
    runs, here = int(remains.sum()), {topics, 2 * topics} - {0}
    return CollectionStudy(
        study,
        runs,
        len(remains) - runs,
        study.stability(max(topics, 1)),
        study.topics_needed(STABILITY),
        [study.topics_needed(target) for target in TARGETS],
        d_study(study, sorted({*NUMBERS, *here})),
        stability_plot(measure.name, study),
    )

"""Runs by several measures over topics: a column for each measure, with means, intervals and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from metrics.measures.base import Direction
from metrics.rankings.ranking import ranks
from metrics.significance.intervals import mean_intervals, why_no_interval
from metrics.significance.tukey import randomised_tukey_hsd
from pooling.arrays import Matrix, Vector


class MeasureMean(NamedTuple):
    """A run by one measure. mean: over topics. rank: from 1. low, high: ends of the interval, or None."""

    mean: float
    rank: int
    low: float | None
    high: float | None
    no_interval: str


class MeasureColumn(NamedTuple):
    """A measure over the topics in which every run has a score.

    name: as files write it. undefined: topics left out -> why. means: of the runs, in their order; empty
    without a topic. values: of shape (topics, runs). direction: which values are better. definition: the
    formula, and when there is no value. source: the publication that defines it. heading: on pages, if it is
    not made of the name.
    """

    name: str
    meaning: str
    undefined: dict[str, str]
    means: list[MeasureMean]
    values: Matrix
    direction: Direction = "higher"
    definition: str = ""
    source: str = ""
    heading: str = ""

    @property
    def title(self) -> str:
        """The name of the measure as pages show it, such as “vital, strict”."""
        return self.heading or self.name.replace("_", ", ")

    @property
    def topics(self) -> int:
        return len(self.values)


class OrderedRuns(NamedTuple):
    """Runs, the best by the first measure that has means first, and their columns in this order.

    letters: of the runs; those that share one do not differ significantly by that measure. test: its name,
    or why there is none; "" without means.
    """

    runs: list[str]
    columns: list[MeasureColumn]
    letters: list[str]
    test: str

    @property
    def lead(self) -> MeasureColumn | None:
        """The first measure that has means."""
        return next((column for column in self.columns if column.means), None)

    @property
    def sources(self) -> list[str]:
        """The publications that define the measures, each once."""
        return [source for source in dict.fromkeys(column.source for column in self.columns) if source]

    @property
    def rows(self) -> list[tuple[str, list[MeasureMean | None], str]]:
        """Each run, its mean by each measure, None where no topic has a score, and its letters."""
        return [
            (run, [column.means[place] if column.means else None for column in self.columns], letters)
            for place, (run, letters) in enumerate(zip(self.runs, self.letters, strict=True))
        ]

    @property
    def plain(self) -> dict[str, Any]:
        """The measures, and the runs with their means, as plain values for files and the API."""
        names = [column.name for column in self.columns]
        return {
            "measures": [
                {
                    "name": column.name,
                    "meaning": column.meaning,
                    "topics": column.topics,
                    "undefined": column.undefined,
                }
                for column in self.columns
            ],
            "runs": [
                {
                    "run": run,
                    "groups": letters,
                    "scores": [
                        {"measure": name, **mean._asdict()}
                        for name, mean in zip(names, means, strict=True)
                        if mean
                    ],
                }
                for run, means, letters in self.rows
            ],
        }


def measure_means(
    values: Matrix, low: float = 0.0, high: float = 1.0, direction: Direction = "higher"
) -> list[MeasureMean]:
    """Return the mean of each run. values: of shape (topics, runs), between low and high."""
    if not len(values):
        return []
    means, ends = values.mean(axis=0), mean_intervals(values, low, high)
    return [
        _mean(values[:, run], rank, (low, high), (ends[0][run], ends[1][run]) if ends else None)
        for run, rank in enumerate(ranks(means, direction).tolist())
    ]


def _mean(
    own: Vector, rank: int, bounds: tuple[float, float], ends: tuple[float, float] | None
) -> MeasureMean:
    mean = float(own.mean())
    if ends is None or np.isnan(ends[0]):
        return MeasureMean(mean, rank, None, None, why_no_interval(own, *bounds))
    return MeasureMean(mean, rank, float(ends[0]), float(ends[1]), "")


def ordered_runs(runs: Sequence[str], columns: Sequence[MeasureColumn]) -> OrderedRuns:
    """Return the runs in the order of the first measure that has means, with its significance test."""
    order, compared = list(runs), list(columns)
    lead = next((column for column in compared if column.means), None)
    if lead is None:
        return OrderedRuns(order, compared, [""] * len(order), "")
    places = sorted(range(len(order)), key=lambda place: (lead.means[place].rank, order[place]))
    pairs = randomised_tukey_hsd(lead.values[:, places])
    letters = [""] * len(order) if pairs.reason else [*pairs.display().letters]
    return OrderedRuns(
        [order[place] for place in places],
        [_in_order(column, places) for column in compared],
        letters,
        pairs.reason or pairs.name,
    )


def _in_order(column: MeasureColumn, places: Sequence[int]) -> MeasureColumn:
    means = [column.means[place] for place in places] if column.means else []
    return column._replace(means=means, values=column.values[:, places])

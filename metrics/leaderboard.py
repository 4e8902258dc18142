"""A leaderboard: its state, column heads, ranks, best runs of groups, and drawn intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

import numpy as np

from metrics.measures.base import Direction, Measure
from metrics.measures.names import parse_measure
from metrics.rankings.ranking import ranks
from metrics.significance.intervals import TOO_FEW, mean_intervals
from pooling.arrays import Matrix

Row = TypeVar("Row")
TEXT_COLUMNS = ("run", "group", "kind")  # columns that contain text
UNJUDGED = "Unjudged@10"
BAR_WIDTH = 112  # pixels: width of a drawn interval, the same as in tables.css
NO_MEAN = "this is not a mean over topics"


class FigureColumn(NamedTuple):
    """A column that a feature package adds: a figure of runs that is no score, shown where a reader wants it.

    key: in addresses and files, with the unit of `values`. name: the column head, with the unit of `texts`.
    values, texts: key of a run -> its figure with all digits, and as shown; a run without one is in neither.
    """

    key: str
    name: str
    meaning: str
    direction: Direction
    values: Mapping[int, float]
    texts: Mapping[int, str]


def is_descending_at_first(column: str, figures: Sequence[FigureColumn] = ()) -> bool:
    """Return whether a column first sorts in descending order: text does not, others begin with the best."""
    for figure in figures:
        if figure.key == column:
            return figure.direction == "higher"
    return column not in TEXT_COLUMNS and parse_measure(column).direction != "lower"


@dataclass(frozen=True)
class LeaderboardState:
    """The state of a leaderboard: measures, by canonical name, and sort order.

    order: one of the measures, UNJUDGED, one of TEXT_COLUMNS, or the key of a figure. best_only: whether only
    the best run of each group is shown, by the leading measure. judged_only: whether only runs whose first 10
    documents are all judged are shown. figures: the chosen columns of feature packages.
    """

    measures: tuple[str, ...]
    order: str
    descending: bool
    best_only: bool = False
    judged_only: bool = False
    figures: tuple[FigureColumn, ...] = ()

    @classmethod
    def by_first(cls, measures: tuple[str, ...]) -> LeaderboardState:
        """Return the state sorted by the first measure, best value first."""
        return cls(measures, measures[0], is_descending_at_first(measures[0]))

    @property
    def lead(self) -> str:
        """The leading measure, which has intervals: the one of the sort order, else the first."""
        return self.order if self.order in self.measures else self.measures[0]

    @cached_property
    def query(self) -> str:
        """The state as a URL query string."""
        pairs = [*(("measures", name) for name in self.measures), ("order", self.order)]
        pairs += [("figures", figure.key) for figure in self.figures]
        if self.descending != is_descending_at_first(self.order, self.figures):
            pairs.append(("direction", "descending" if self.descending else "ascending"))
        if self.best_only:
            pairs.append(("groups", "best"))
        if self.judged_only:
            pairs.append(("judged", "on"))
        return urlencode(pairs)

    def by(self, column: str) -> LeaderboardState:
        """Return the state after a click on a column head: sorted by it, or reversed if it already is."""
        descending = not self.descending
        if column != self.order:
            descending = is_descending_at_first(column, self.figures)
        return replace(self, order=column, descending=descending)


class ColumnHead(NamedTuple):
    """A column head that sorts. sorted: "ascending", "descending" or "none", for aria-sort."""

    name: str
    meaning: str
    query: str
    sorted: str


def column_heads(state: LeaderboardState, columns: Sequence[tuple[str, str]]) -> list[ColumnHead]:
    """Return the heads of columns (name, meaning)."""
    now = "descending" if state.descending else "ascending"
    return [
        ColumnHead(name, meaning, state.by(name).query, now if name == state.order else "none")
        for name, meaning in columns
    ]


class IntervalBar(NamedTuple):
    """A mean with its interval. start, end, middle: their x coordinates from 0 to SPAN, as SVG attributes."""

    low: float
    high: float
    start: str
    end: str
    middle: str


class Axis(NamedTuple):
    """The axis on which intervals are drawn."""

    low: float
    high: float

    def place(self, value: float) -> str:
        """Return the x coordinate of a value, in pixels."""
        share = (value - self.low) / (self.high - self.low)
        return f"{BAR_WIDTH * min(1.0, max(0.0, share)):.1f}"


def axis_of(lows: Matrix, highs: Matrix) -> Axis:
    """Return an axis in whole tenths that contains all intervals and 0."""
    low, high = min(0.0, float(lows.min(initial=0.0))), float(highs.max(initial=0.0))
    bottom = -ceil(-low * 10) / 10 if low < 0 else 0.0
    return Axis(bottom, max(ceil(high * 10) / 10, bottom + 0.1))


def interval_bars(
    measure: Measure, values: Matrix, means: Sequence[float]
) -> tuple[list[IntervalBar | None], Axis] | str:
    """Return each run's interval and the axis, or the reason why there are no intervals.

    values: of one measure, shape (runs, topics). means: as shown, one per run. A single run can lack an
    interval: `why_no_interval` says why.
    """
    if not measure.is_mean:
        return NO_MEAN
    ends = mean_intervals(np.ascontiguousarray(values.T), measure.low, measure.high)
    if ends is None:
        return TOO_FEW
    has_interval = np.isfinite(ends[0])
    scale = axis_of(ends[0][has_interval], ends[1][has_interval])
    spans = [
        IntervalBar(low, high, scale.place(low), scale.place(high), scale.place(mean)) if given else None
        for low, high, mean, given in zip(
            ends[0].tolist(), ends[1].tolist(), means, has_interval.tolist(), strict=True
        )
    ]
    return spans, scale


def shown_ranks(means: Sequence[float], measure: Measure) -> list[int | None]:
    """Return the rank of each run, None if no value of the measure is better than another."""
    if measure.direction == "neither":
        return [None] * len(means)
    return list(ranks(np.asarray(means, dtype=np.float64), measure.direction).tolist())


def best_of_groups(rows: Sequence[Row], group: Callable[[Row], str], rank: Callable[[Row], int]) -> list[Row]:
    """Return the row of the best rank of each group, in the order given, and every row without a group.

    Of rows of equal rank the first is returned.
    """
    best: dict[object, Row] = {}
    for row in rows:
        key: object = group(row) or id(row)
        if key not in best or rank(row) < rank(best[key]):
            best[key] = row
    chosen = {id(row) for row in best.values()}
    return [row for row in rows if id(row) in chosen]

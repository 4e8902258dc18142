"""A leaderboard: its columns, their order, the best of each group, and where means and intervals stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

from metrics.intervals import LEAST_TOPICS, mean_intervals
from metrics.measure import Measure
from metrics.ranking import ranks
from metrics.registry import parse_measure

Values = npt.NDArray[np.float64]
Row = TypeVar("Row")
WORDS = ("run", "group", "kind")  # columns of words
UNJUDGED = "Unjudged@10"
SPAN = 112  # width of a drawn interval, as wide as tables.css makes it
TOO_FEW = f"fewer than {LEAST_TOPICS} topics"
TOO_EQUAL = "too few topics differ in score"
NO_MEAN = "this is not a mean over topics"


def begins_descending(column: str) -> bool:
    """Return whether a column is sorted in descending order at first: words are not, and values begin with
    the best."""
    return column not in WORDS and parse_measure(column).direction != "lower"


@dataclass(frozen=True)
class Look:
    """What a leaderboard shows. measures: canonical names. order: one of them, UNJUDGED, or one of WORDS.

    best_only: of each group, its best run on the leading measure alone.
    """

    measures: tuple[str, ...]
    order: str
    descending: bool
    best_only: bool = False

    @classmethod
    def by_first(cls, measures: tuple[str, ...]) -> Look:
        """Return the look that is ordered by the first measure, its best value first."""
        return cls(measures, measures[0], begins_descending(measures[0]))

    @property
    def lead(self) -> str:
        """The measure that has the interval: the one that orders, else the first."""
        return self.order if self.order in self.measures else self.measures[0]

    @cached_property
    def query(self) -> str:
        """The same look as a link says it."""
        said = [*(("measures", name) for name in self.measures), ("order", self.order)]
        if self.descending != begins_descending(self.order):
            said.append(("direction", "descending" if self.descending else "ascending"))
        return urlencode([*said, ("groups", "best")] if self.best_only else said)

    def by(self, column: str) -> Look:
        """Return the look after a click on a column's head: ordered by it, or turned if it is already."""
        descending = not self.descending if column == self.order else begins_descending(column)
        return replace(self, order=column, descending=descending)


class Head(NamedTuple):
    """A column's head that sorts. sorted: "ascending", "descending" or "none", for aria-sort."""

    name: str
    meaning: str
    query: str
    sorted: str


def heads_of(look: Look, columns: Sequence[tuple[str, str]]) -> list[Head]:
    """Return the heads of columns (name, meaning)."""
    now = "descending" if look.descending else "ascending"
    return [
        Head(name, meaning, look.by(name).query, now if name == look.order else "none")
        for name, meaning in columns
    ]


class Span(NamedTuple):
    """A mean with its interval, and where they are drawn from 0 to SPAN. Places are text: SVG attributes."""

    low: float
    high: float
    start: str
    end: str
    middle: str


class Scale(NamedTuple):
    """The axis of the drawn intervals."""

    low: float
    high: float

    def place(self, value: float) -> str:
        """Return where a value stands, in pixels."""
        share = (value - self.low) / (self.high - self.low)
        return f"{SPAN * min(1.0, max(0.0, share)):.1f}"


def scale_of(lows: Values, highs: Values) -> Scale:
    """Return an axis in whole tenths that holds all intervals, from 0 where nothing is below."""
    low, high = min(0.0, float(lows.min(initial=0.0))), float(highs.max(initial=0.0))
    bottom = -ceil(-low * 10) / 10 if low < 0 else 0.0
    return Scale(bottom, max(ceil(high * 10) / 10, bottom + 0.1))


def spans_of(
    measure: Measure, values: Values, means: Sequence[float]
) -> tuple[list[Span | None], Scale] | str:
    """Return each run's interval and the axis, or why there is none.

    values: of one measure, shape (runs, topics). means: as they are shown, one a run. A run has no interval
    where too few topics differ in score: TOO_EQUAL.
    """
    if not measure.is_mean:
        return NO_MEAN
    ends = mean_intervals(np.ascontiguousarray(values.T), measure.low, measure.high)
    if ends is None:
        return TOO_FEW
    has_interval = np.isfinite(ends[0])
    scale = scale_of(ends[0][has_interval], ends[1][has_interval])
    spans = [
        Span(low, high, scale.place(low), scale.place(high), scale.place(mean)) if given else None
        for low, high, mean, given in zip(
            ends[0].tolist(), ends[1].tolist(), means, has_interval.tolist(), strict=True
        )
    ]
    return spans, scale


def shown_ranks(means: Sequence[float], measure: Measure) -> list[int | None]:
    """Return the rank of each run as it is shown: None on a measure that says nothing of quality."""
    if measure.direction == "neither":
        return [None] * len(means)
    return list(ranks(np.asarray(means, dtype=np.float64), measure.direction).tolist())


def best_of_groups(rows: Sequence[Row], group: Callable[[Row], str], rank: Callable[[Row], int]) -> list[Row]:
    """Return each group's row of the best rank, in the order given; a row without a group stands for itself.

    Of equal ones the first stays.
    """
    best: dict[object, Row] = {}
    for row in rows:
        key: object = group(row) or id(row)
        if key not in best or rank(row) < rank(best[key]):
            best[key] = row
    chosen = {id(row) for row in best.values()}
    return [row for row in rows if id(row) in chosen]

"""Where the lines of a gain curve stand in its drawing: documents found against documents reviewed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from assess.active_learning.recall import SampleEstimate

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 722, 25, 250
MOST_POINTS = 200  # of the curve
STEPS = 4  # lines of the grid, at most
ROW = 16  # between texts of stops


class Tick(NamedTuple):
    """A line of the grid, or a place on the axis below: where it is, and its number."""

    at: float
    number: int


class Stop(NamedTuple):
    """Where rules would have stopped. x: of the line. y: of its text. names: of the rules."""

    x: float
    y: float
    names: str


class GainPlot(NamedTuple):
    """points: the curve, as SVG has them. band_top, band_height: the interval of all relevant documents, cut.

    expected: the height of the estimate. They are None without an estimate. above: whether the interval goes
    on above the drawing. now_x, now_y: the end of the curve.
    """

    points: str
    band_top: float | None
    band_height: float | None
    expected: float | None
    above: bool
    now_x: float
    now_y: float
    rows: Sequence[Tick]
    columns: Sequence[Tick]
    stops: Sequence[Stop]


def gain_plot(labels: Sequence[bool], relevant: SampleEstimate, stops: Mapping[str, int]) -> GainPlot | None:
    """Return the drawing of a review; None before a document is reviewed.

    labels: whether each reviewed document is relevant, in order. relevant: the number of relevant documents,
    undefined without a sample. stops: name of a rule -> after how many documents it would have stopped. The
    drawing is at most three times as high as the estimate or the curve.
    """
    if not labels:
        return None
    relevant_so_far = list(accumulate(map(int, labels), initial=0))
    highest = max(relevant_so_far[-1], 1)
    if relevant.value is not None and relevant.high is not None:
        highest = round(max(highest, min(relevant.high, 3 * max(relevant.value, highest))))
    most = _rounded(highest)
    last = len(labels)

    def x(reviewed: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * reviewed / last, 1)

    def y(count: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * min(count, most) / most, 1)

    every = -(-last // MOST_POINTS)
    places = [*range(0, last, every), last]
    points = " ".join(f"{x(place)},{y(relevant_so_far[place])}" for place in places)
    top, low, middle, above = None, None, None, False
    if relevant.value is not None and relevant.high is not None and relevant.low is not None:
        top, low, middle = y(relevant.high), y(relevant.low), y(relevant.value)
        above = relevant.high > most
    return GainPlot(
        points,
        top,
        None if top is None or low is None else round(low - top, 1),
        middle,
        above,
        x(last),
        y(relevant_so_far[-1]),
        [Tick(y(number), number) for number in _steps(most)],
        [Tick(x(number), number) for number in _steps(last)],
        _stops(stops, x),
    )


def _stops(stops: Mapping[str, int], x: Callable[[float], float]) -> list[Stop]:
    by_place: dict[int, list[str]] = {}
    for name, place in stops.items():
        by_place.setdefault(place, []).append(name)
    return [
        Stop(x(place), BOTTOM - 8 - ROW * (number % 6), ", ".join(names))
        for number, (place, names) in enumerate(sorted(by_place.items()))
    ]


def _rounded(number: int) -> int:
    """Return the next number that STEPS steps divide into round ones."""
    step = _step(number)
    return -(-number // step) * step


def _step(number: int) -> int:
    """Return a step of 1, 2 or 5 times a power of 10, at most STEPS of which reach a number.

    >>> _step(3), _step(227), _step(1200)
    (1, 100, 500)
    """
    size = 1
    while True:
        for factor in (1, 2, 5):
            if factor * size * STEPS >= number:
                return factor * size
        size *= 10


def _steps(most: int) -> list[int]:
    return list(range(0, most + 1, _step(most)))

"""Where differences and their intervals stand in the drawing of an A/B test."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

from metrics.ab_tests.factors import short_name
from metrics.ab_tests.result import Line, percentage

WIDTH, ROW, TOP, FOOT = 760, 34, 22, 30
MIDDLE, HALF = 480, 240  # where 0 stands, and how far the axis reaches to each side
LABEL, LONGEST = 12, 34  # where texts begin, and how many characters stand before the axis
STEPS = (1.0, 2.0, 3.0, 5.0, 10.0)


class DrawnLine(NamedTuple):
    """A difference. label: cut, if it is long; text: in whole. y: of the line."""

    label: str
    text: str
    y: int
    low: float
    middle: float
    high: float

    @property
    def text_y(self) -> int:
        return self.y + 4


class Tick(NamedTuple):
    x: float
    label: str


class Drawing(NamedTuple):
    width: int
    height: int
    zero: int
    foot: int
    tick_y: int
    lines: Sequence[DrawnLine]
    ticks: Sequence[Tick]


def drawing_of(lines: Sequence[Line], several: bool) -> Drawing | None:
    """Return the differences as parts of the mean of the control; None if no line has an interval.

    several: whether there are several treatments, whose names then stand beside the outcome.
    """
    shares = [(line, line.relative) for line in lines]
    ends = [max(abs(each) for each in relative) for _, relative in shares if relative]
    if not ends or not max(ends):
        return None
    limit = nice_above(max(ends))
    drawn: list[DrawnLine] = []
    for line, relative in shares:
        if relative is None:
            continue
        middle, low, high = (round(MIDDLE + HALF * each / limit, 1) for each in relative)
        text = f"{line.outcome.name}, {line.variant}" if several else line.outcome.name
        named = f"{line.outcome.name}, {short_name(line.variant)}" if several else text
        label = named if len(named) <= LONGEST else f"{named[: LONGEST - 1]}…"
        drawn.append(DrawnLine(label, text, TOP + ROW * len(drawn), low, middle, high))
    foot = TOP + ROW * len(drawn) - 12
    ticks = [Tick(MIDDLE + HALF * each / 2, percentage(limit * each / 2)) for each in range(-2, 3)]
    return Drawing(WIDTH, foot + FOOT, MIDDLE, foot, foot + 18, drawn, ticks)


def nice_above(value: float) -> float:
    """Return 1, 2, 3 or 5 times a power of ten that is at least a value above 0.

    >>> nice_above(0.0612), nice_above(3.0)
    (0.1, 3.0)
    """
    power: float = 10.0 ** floor(log10(value))
    return next((round(step * power, 12) for step in STEPS if step * power >= value), 10 * power)

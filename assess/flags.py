"""How a judge's labels come: too fast, too alike, drifting.

A flag is a reason to look, not a verdict. Chance is counted as if the documents came in random order: under
a priority or live order relevant documents come early, so long runs and a falling rate are to be expected.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assess.event_columns import Floats, Ints
from assess.fisher import fisher_exact
from assess.no_grade import NoGrade


class Stream(NamedTuple):
    """One judge's labels on one topic, because topics differ in what they hold, in the order of giving them.

    Both of shape (labels,). seconds: active ones, nan where not measured. grades: or NoGrade.REFUSED.
    """

    seconds: Floats
    grades: Ints


class Flag(NamedTuple):
    """Something the organiser may want to look at: the labels [start, stop) of a stream, and why."""

    kind: str
    start: int
    stop: int
    sentence: str


def flags(stream: Stream, threshold: int) -> list[Flag]:
    """Return every flag of a stream. threshold: the lowest relevant grade."""
    drift = drift_of(stream, threshold)
    return [*bursts(stream), *constant_grades(stream), *([drift.flag] if drift and drift.flag else [])]


def bursts(stream: Stream, count: int = 10, seconds: float = 2.0) -> list[Flag]:
    """Return the stretches of `count` or more labels in a row that took less than `seconds` each.

    A label that was not timed ends a stretch.
    """
    fast = stream.seconds < seconds  # nan is not
    took = f"took less than {seconds:g} s each"
    return [
        Flag("burst", start, stop, f"{stop - start} labels in a row, {_numbered(start, stop)}, {took}.")
        for start, stop in _stretches(fast, count)
        if fast[start]
    ]


def constant_grades(stream: Stream, shortest: int = 10, alpha: float = 0.001) -> list[Flag]:
    """Return the runs of one grade that the judge's own grades, shuffled, would hardly ever show.

    A run is flagged when it is no shorter than `shortest` and its chance is below alpha (`chance_of_run`).
    *Cannot judge* counts as a grade. Who gave one grade only is not flagged: their order has no surprise.
    """
    found = []
    for start, stop in _stretches(stream.grades, shortest):
        grade, labels = int(stream.grades[start]), len(stream.grades)
        given = int((stream.grades == grade).sum())
        chance = chance_of_run(stop - start, given, labels)
        if chance < alpha:
            name = "cannot judge" if grade == NoGrade.REFUSED else f"grade {grade}"
            sentence = (
                f"{stop - start} times {name} in a row, {_numbered(start, stop)}; of all {labels} labels"
                f" {given} are {name}, and in random order such a run has a chance of {_at_most(chance)}."
            )
            found.append(Flag("constant", start, stop, sentence))
    return found


def chance_of_run(length: int, given: int, labels: int) -> float:
    """Return an upper bound for the chance that a grade appears `length` times in a row or more.

    All orders of the labels are taken as equally likely, `given` of them being the grade. The bound is the
    expected number of such runs, (labels - given + 1) * prod (given - i) / (labels - i) for i < length: the
    chance itself where two of them cannot be (given < 2 * length), a little more otherwise, at most 1.
    Raises ValueError for a length below 1, or more of the grade than labels.

    >>> chance_of_run(2, given=2, labels=4)
    0.5
    """
    if length < 1 or not 0 <= given <= labels:
        raise ValueError(f"expected a run of 1 or more, found {length} of {given} among {labels} labels")
    if given < length:
        return 0.0
    together = prod((given - i) / (labels - i) for i in range(length))
    return min(1.0, (labels - given + 1) * together)


class Drift(NamedTuple):
    """The relevant rate in the first and second half of a stream, and whether it has changed.

    first, second: (relevant, labels). p: of Fisher's exact test, two-sided. flag: None where p is not small.
    """

    first: tuple[int, int]
    second: tuple[int, int]
    p: float
    flag: Flag | None


def drift_of(stream: Stream, threshold: int, alpha: float = 0.01) -> Drift | None:
    """Return how a judge's relevant rate has changed, first half of the labels against the second.

    threshold: the lowest relevant grade. *Cannot judge* takes no part; of an odd number the middle one is in
    the second half. None for fewer than two labels. The flag stands where p < alpha.
    """
    relevant = stream.grades[stream.grades != NoGrade.REFUSED] >= threshold
    if len(relevant) < 2:
        return None
    half = len(relevant) // 2
    first, second = ((int(part.sum()), len(part)) for part in (relevant[:half], relevant[half:]))
    p = fisher_exact(first, second)
    sentence = (
        f"{first[0]} of the first {first[1]} labels are relevant ({first[0] / first[1]:.0%}), of the last"
        f" {second[1]} {second[0]} ({second[0] / second[1]:.0%}); in random order so great a change has a"
        f" chance of {_at_most(p)} (Fisher's exact test)."
    )
    return Drift(first, second, p, Flag("drift", 0, len(stream.grades), sentence) if p < alpha else None)


def _stretches(values: npt.NDArray[Any], shortest: int) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of every stretch of one value that is no shorter, in order."""
    ends = np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, len(values))
    lengths = np.diff(ends, prepend=0)
    long = lengths >= max(1, shortest)  # nothing is no stretch
    yield from zip((ends - lengths)[long].tolist(), ends[long].tolist(), strict=True)


def _numbered(start: int, stop: int) -> str:
    return f"numbers {start + 1} to {stop}"


def _at_most(chance: float) -> str:
    return "less than 1 in 10,000" if chance < 0.0001 else f"1 in {1 / chance:,.0f}"

"""How a judge's labels come: too fast, too alike, drifting; when to rest, and when all will be done.

A flag is a reason to look, not a verdict. Chance is counted as if the documents came in random order: under
a priority or live order relevant documents come early, so long runs and a falling rate are to be expected.
Streams are of one judge on one topic, because topics differ in what they hold; breaks are over all topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from math import ceil, prod
from statistics import median
from typing import NamedTuple, TypeVar

from .fisher import fisher_exact

Value = TypeVar("Value")

SECONDS = 30.0
"""What a document is taken to need before anybody was timed."""


class Press(NamedTuple):
    """One label of a judge. seconds: active ones, None where not measured. grade: None for *cannot judge*."""

    at: datetime
    seconds: float | None
    grade: int | None


class Flag(NamedTuple):
    """Something the organiser may want to look at: the labels [start, stop) of a stream, and why."""

    kind: str
    start: int
    stop: int
    sentence: str


def flags(stream: Sequence[Press], threshold: int) -> list[Flag]:
    """Return every flag of a stream, which is one judge's labels on one topic in the order of giving them.

    threshold: the lowest relevant grade.
    """
    drift = drift_of(stream, threshold)
    return [*bursts(stream), *constant_grades(stream), *([drift.flag] if drift and drift.flag else [])]


def bursts(stream: Sequence[Press], count: int = 10, seconds: float = 2.0) -> list[Flag]:
    """Return the stretches of `count` or more labels in a row that took less than `seconds` each.

    A label that was not timed ends a stretch.
    """
    fast = [press.seconds is not None and press.seconds < seconds for press in stream]
    took = f"took less than {seconds:g} s each"
    return [
        Flag("burst", start, stop, f"{stop - start} labels in a row, {_numbered(start, stop)}, {took}.")
        for is_fast, start, stop in _stretches(fast)
        if is_fast and stop - start >= count
    ]


def constant_grades(stream: Sequence[Press], shortest: int = 10, alpha: float = 0.001) -> list[Flag]:
    """Return the runs of one grade that the judge's own grades, shuffled, would hardly ever show.

    A run is flagged when it is no shorter than `shortest` and its chance is below alpha (`chance_of_run`).
    *Cannot judge* counts as a grade. Who gave one grade only is not flagged: their order has no surprise.
    """
    grades = [press.grade for press in stream]
    counts = Counter(grades)
    found = []
    for grade, start, stop in _stretches(grades):
        if stop - start < shortest:
            continue
        chance = chance_of_run(stop - start, counts[grade], len(grades))
        if chance < alpha:
            name = "cannot judge" if grade is None else f"grade {grade}"
            sentence = (
                f"{stop - start} times {name} in a row, {_numbered(start, stop)}; of all {len(grades)} labels"
                f" {counts[grade]} are {name}, and in random order such a run has a chance of"
                f" {_at_most(chance)}."
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


def drift_of(stream: Sequence[Press], threshold: int, alpha: float = 0.01) -> Drift | None:
    """Return how a judge's relevant rate has changed, first half of the labels against the second.

    threshold: the lowest relevant grade. *Cannot judge* takes no part; of an odd number the middle one is in
    the second half. None for fewer than two labels. The flag stands where p < alpha.
    """
    relevant = [press.grade >= threshold for press in stream if press.grade is not None]
    if len(relevant) < 2:
        return None
    half = len(relevant) // 2
    first, second = (sum(relevant[:half]), half), (sum(relevant[half:]), len(relevant) - half)
    p = fisher_exact(first, second)
    sentence = (
        f"{first[0]} of the first {first[1]} labels are relevant ({first[0] / first[1]:.0%}), of the last"
        f" {second[1]} {second[0]} ({second[0] / second[1]:.0%}); in random order so great a change has a"
        f" chance of {_at_most(p)} (Fisher's exact test)."
    )
    return Drift(first, second, p, Flag("drift", 0, len(stream), sentence) if p < alpha else None)


class Break(NamedTuple):
    """Advice to rest: what was done since the last pause, and a sentence for the judge."""

    documents: int
    minutes: float
    sentence: str


def break_due(
    stream: Sequence[Press], documents: int = 50, minutes: float = 45, pause: float = 5
) -> Break | None:
    """Return the advice to rest after a judge's last label; None while there is no need.

    stream: the judge's labels on all topics, by time. It is due after so many documents or minutes since the
    last pause, whichever comes first, and stays due until there is one. A pause is a gap of `pause` minutes
    between two labels beyond the active seconds of the second: who reads a long document does not rest.
    """
    since = _since_pause(stream, timedelta(minutes=pause))
    if not since:
        return None
    worked = (since[-1].at - since[0].at + _active(since[0])) / timedelta(minutes=1)
    if len(since) < documents and worked < minutes:
        return None
    noun = "document" if len(since) == 1 else "documents"
    sentence = f"{len(since)} {noun} in {worked:.0f} minutes since your last pause: time for another one."
    return Break(len(since), worked, sentence)


class Finish(NamedTuple):
    """When judges will be done. hours, day: judge -> hours of work left, last day of it."""

    hours: dict[str, float]
    day: dict[str, date]

    @property
    def last(self) -> date | None:
        """The day on which the last judge is done; None where there is no judge."""
        return max(self.day.values(), default=None)


def projected_finish(
    left: Mapping[str, int], seconds: Mapping[str, float | None], today: date, hours_a_day: float = 4
) -> Finish:
    """Return when each judge will be done, working so many hours every day from today on.

    left: judge -> documents left. seconds: judge -> mean active seconds per document. A judge without any is
    as fast as the median of the others, or takes SECONDS. Who has nothing left is done today. Weekends are
    days. Raises ValueError for hours a day outside 0 to 24, 0 excluded.

    >>> projected_finish({"ada": 240, "ben": 0}, {"ada": 60}, date(2025, 3, 3)).last
    datetime.date(2025, 3, 3)
    >>> projected_finish({"ada": 241, "ben": 0}, {"ada": 60}, date(2025, 3, 3)).last
    datetime.date(2025, 3, 4)
    """
    if not 0 < hours_a_day <= 24:
        raise ValueError(f"expected more than 0 and at most 24 hours a day, found {hours_a_day}")
    known = [speed for speed in seconds.values() if speed is not None]
    usual = median(known) if known else SECONDS
    speeds = {judge: usual if (speed := seconds.get(judge)) is None else speed for judge in left}
    hours = {judge: count * speeds[judge] / 3600 for judge, count in left.items()}
    end = (date.max - today).days
    days = {judge: min(end, max(0, ceil(round(each / hours_a_day, 9)) - 1)) for judge, each in hours.items()}
    return Finish(hours, {judge: today + timedelta(days=count) for judge, count in days.items()})


class TopicLeft(NamedTuple):
    """What a topic still needs: labels left, whether it has any, and the seconds that one takes."""

    topic: str
    left: int
    begun: bool
    seconds: float = SECONDS

    @property
    def hours(self) -> float:
        """Hours of work left on the topic."""
        return self.left * self.seconds / 3600


class WholeTopics(NamedTuple):
    """Which topics a budget can finish, in the order to judge them; the others after them, in order too."""

    finished: list[str]
    others: list[str]
    hours: float


def finish_whole_topics_first(topics: Sequence[TopicLeft], budget: float) -> WholeTopics:
    """Return which topics can be judged to their end in `budget` hours, and in which order to judge them.

    A short budget is to leave whole topics, not ragged ones: a topic judged in part gives no score. So topics
    already begun come first, and of these and of the others the one with the fewest hours left, as long as it
    still fits. Among topics that are not begun, no other choice finishes more. Topics with nothing left are
    left out; equal ones keep their order. `hours`: of the topics that can be finished.

    >>> finish_whole_topics_first([TopicLeft("1", 240, False), TopicLeft("2", 120, True)], budget=1.5)
    WholeTopics(finished=['2'], others=['1'], hours=1.0)
    """
    finished: list[str] = []
    others: list[str] = []
    spent = 0.0
    for topic in sorted(topics, key=lambda topic: (not topic.begun, topic.hours)):
        if not topic.left:
            continue
        if spent + topic.hours <= budget + 1e-9:
            finished.append(topic.topic)
            spent += topic.hours
        else:
            others.append(topic.topic)
    return WholeTopics(finished, others, spent)


def _stretches(values: Sequence[Value]) -> Iterator[tuple[Value, int, int]]:
    start = 0
    for value, same in groupby(values):
        stop = start + len(list(same))
        yield value, start, stop
        start = stop


def _since_pause(stream: Sequence[Press], pause: timedelta) -> Sequence[Press]:
    """Return the labels after the last pause; all when there was none."""
    for place in range(len(stream) - 1, 0, -1):
        if stream[place].at - stream[place - 1].at - _active(stream[place]) >= pause:
            return stream[place:]
    return stream


def _active(press: Press) -> timedelta:
    return timedelta(seconds=press.seconds or 0)


def _numbered(start: int, stop: int) -> str:
    return f"numbers {start + 1} to {stop}"


def _at_most(chance: float) -> str:
    return "less than 1 in 10,000" if chance < 0.0001 else f"1 in {1 / chance:,.0f}"

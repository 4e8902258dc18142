"""Forecast: when judges will finish, and which topics a budget of hours can finish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import ceil
from statistics import median
from typing import NamedTuple

SECONDS = 30.0
"""Assumed seconds per document before any time was measured."""


class Finish(NamedTuple):
    """When judges will finish. hours, day: judge -> remaining hours, last day of work."""

    hours: dict[str, float]
    day: dict[str, date]

    @property
    def last(self) -> date | None:
        """The day on which the last judge finishes; None without judges."""
        return max(self.day.values(), default=None)


def projected_finish(
    left: Mapping[str, int], seconds: Mapping[str, float | None], today: date, hours_a_day: float = 4
) -> Finish:
    """Return when each judge will finish, working a number of hours every day from today on.

    left: judge -> remaining documents. seconds: judge -> mean active seconds per document. A judge without
    measured times gets the median of the others, or a default. A judge without remaining documents finishes
    today. Weekends count as days. Raises ValueError unless 0 < hours_a_day <= 24.

    >>> projected_finish({"ada": 240, "ben": 0}, {"ada": 60}, date(2025, 3, 3)).last
    datetime.date(2025, 3, 3)
    >>> projected_finish({"ada": 241, "ben": 0}, {"ada": 60}, date(2025, 3, 3)).last
    datetime.date(2025, 3, 4)
    """
    if not 0 < hours_a_day <= 24:
        raise ValueError(f"expected more than 0 and at most 24 hours a day, found {hours_a_day}")
    measured = [speed for speed in seconds.values() if speed is not None]
    usual = median(measured) if measured else SECONDS
    speeds = {judge: usual if (speed := seconds.get(judge)) is None else speed for judge in left}
    hours = {judge: count * speeds[judge] / 3600 for judge, count in left.items()}
    end = (date.max - today).days
    days = {judge: min(end, max(0, ceil(round(each / hours_a_day, 9)) - 1)) for judge, each in hours.items()}
    return Finish(hours, {judge: today + timedelta(days=count) for judge, count in days.items()})


class TopicLeft(NamedTuple):
    """The remaining work of a topic: labels, whether judging has begun, and seconds per label."""

    topic: str
    left: int
    begun: bool
    seconds: float = SECONDS

    @property
    def hours(self) -> float:
        """Remaining hours of the topic."""
        return self.left * self.seconds / 3600


class WholeTopics(NamedTuple):
    """The topics that a budget can finish, and the others, each in the order in which to judge them."""

    finished: list[str]
    others: list[str]
    hours: float


def finish_whole_topics_first(topics: Sequence[TopicLeft], budget: float) -> WholeTopics:
    """Return which topics can be finished in `budget` hours, and in which order to judge them.

    A short budget should finish whole topics, because a topic judged in part gives no score. So begun topics
    come first, and of these and of the others the one with the fewest remaining hours, as long as it fits.
    Among topics that are not begun, no other choice finishes more. Topics without remaining work are left
    out; equal ones keep their order. `hours`: of the topics that can be finished.

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

"""When all will be done, and what a budget can finish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import ceil
from statistics import median
from typing import NamedTuple

SECONDS = 30.0
"""What a document is taken to need before anybody was timed."""


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

"""Forecast of the work: when judges will finish, what a budget can finish, and which judges are idle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from math import ceil
from statistics import median
from typing import NamedTuple

DEFAULT_SECONDS = 30.0
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
    usual = median(measured) if measured else DEFAULT_SECONDS
    speeds = {judge: usual if (speed := seconds.get(judge)) is None else speed for judge in left}
    hours = {judge: count * speeds[judge] / 3600 for judge, count in left.items()}
    end = (date.max - today).days
    days = {judge: min(end, max(0, ceil(round(each / hours_a_day, 9)) - 1)) for judge, each in hours.items()}
    return Finish(hours, {judge: today + timedelta(days=count) for judge, count in days.items()})


class RemainingTopic(NamedTuple):
    """The remaining work of a topic: labels, whether judging has begun, and seconds per label."""

    topic: str
    left: int
    begun: bool
    seconds: float = DEFAULT_SECONDS

    @property
    def hours(self) -> float:
        """Remaining hours of the topic."""
        return self.left * self.seconds / 3600


class BudgetPlan(NamedTuple):
    """The topics that a budget can finish, and the others, each in the order in which to judge them."""

    completed: list[str]
    others: list[str]
    hours: float


def topics_within_budget(topics: Sequence[RemainingTopic], budget: float) -> BudgetPlan:
    """Return which topics can be finished in `budget` hours, and in which order to judge them.

    A short budget should complete topics, because a topic judged in part gives no score. So begun topics
    come first, and of these and of the others the one with the fewest remaining hours, as long as it fits.
    Among topics that are not begun, no other choice finishes more. Topics without remaining work are left
    out; equal ones keep their order. `hours`: of the topics that can be finished.

    >>> topics_within_budget([RemainingTopic("1", 240, False), RemainingTopic("2", 120, True)], budget=1.5)
    BudgetPlan(completed=['2'], others=['1'], hours=1.0)
    """
    completed: list[str] = []
    others: list[str] = []
    spent = 0.0
    for topic in sorted(topics, key=lambda topic: (not topic.begun, topic.hours)):
        if not topic.left:
            continue
        if spent + topic.hours <= budget + 1e-9:
            completed.append(topic.topic)
            spent += topic.hours
        else:
            others.append(topic.topic)
    return BudgetPlan(completed, others, spent)


IDLE_AFTER = timedelta(days=2)


class JudgeTopic(NamedTuple):
    """One judge at one topic. left: open documents. since: when it was assigned. last_label: its time."""

    judge: str
    topic: str
    left: int
    since: datetime
    last_label: datetime | None


class IdleJudge(NamedTuple):
    """An idle judge with open topics; the sentence says for how long."""

    judge: str
    topics: list[str]
    left: int
    sentence: str


def idle_judges(
    judge_topics: Iterable[JudgeTopic], now: datetime, patience: timedelta = IDLE_AFTER
) -> list[IdleJudge]:
    """Return the idle judges: with open documents and no activity for `patience`, longest first.

    A judge who is active at any topic is not idle. For a judge who has not begun, the time counts from the
    first assignment.

    >>> day = datetime(2025, 3, 7)
    >>> work = JudgeTopic("ada", "7", 12, day, None)
    >>> [each.sentence for each in idle_judges([work], day + timedelta(days=4))]
    ['ada has not begun in 4 days: 12 documents left in topic 7.']
    """
    of_judge: dict[str, list[JudgeTopic]] = {}
    for each in judge_topics:
        of_judge.setdefault(each.judge, []).append(each)
    idle = []
    for judge, own in of_judge.items():
        waiting = [each for each in own if each.left]
        last_label = max((each.last_label for each in own if each.last_label), default=None)
        active = last_label or min(each.since for each in own)
        if waiting and now - active > patience:
            topics, left = [each.topic for each in waiting], sum(each.left for each in waiting)
            idle.append(
                (
                    active,
                    IdleJudge(judge, topics, left, _sentence(judge, topics, left, last_label, now, active)),
                )
            )
    return [idle_judge for _, idle_judge in sorted(idle)]


def _sentence(
    judge: str, topics: list[str], left: int, last_label: datetime | None, now: datetime, active: datetime
) -> str:
    noun = "topic" if len(topics) == 1 else "topics"
    named = ", ".join(topics[:5]) + (f" and {len(topics) - 5} more" if len(topics) > 5 else "")
    documents = f"{left:,} document{'' if left == 1 else 's'} left in {noun} {named}"
    if last_label:
        return f"{judge} was last seen {time_ago(now - active)}: {documents}."
    return f"{judge} has not begun in {_span(now - active)}: {documents}."


def time_ago(span: timedelta) -> str:
    """Return a time span ago in its largest unit, rounded down.

    >>> time_ago(timedelta(hours=50)), time_ago(timedelta(seconds=30)), time_ago(timedelta(minutes=61))
    ('2 days ago', 'now', '1 hour ago')
    """
    return f"{_span(span)} ago" if span >= timedelta(minutes=1) else "now"


def _span(span: timedelta) -> str:
    units = (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1)))
    name, unit = next(((name, unit) for name, unit in units if span >= unit), units[-1])
    count = span // unit
    return f"{count} {name}{'' if count == 1 else 's'}"

"""Idle judges: they have open documents and have not labelled anything for days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

PATIENCE = timedelta(days=2)


class Desk(NamedTuple):
    """One judge at one topic. left: open documents. since: when it was assigned. seen: the last activity."""

    judge: str
    topic: str
    left: int
    since: datetime
    seen: datetime | None


class Standstill(NamedTuple):
    """An idle judge with open topics; the sentence says for how long."""

    judge: str
    topics: list[str]
    left: int
    sentence: str


def stalled(judge_topics: Iterable[Desk], now: datetime, patience: timedelta = PATIENCE) -> list[Standstill]:
    """Return the idle judges: with open documents and no activity for `patience`, longest first.

    A judge who is active at any topic is not idle. For a judge who has not begun, the time counts from the
    first assignment.

    >>> day = datetime(2025, 3, 7)
    >>> work = Desk("ada", "7", 12, day, None)
    >>> [each.sentence for each in stalled([work], day + timedelta(days=4))]
    ['ada has not begun in 4 days: 12 documents left in topic 7.']
    """
    of_judge: dict[str, list[Desk]] = {}
    for each in judge_topics:
        of_judge.setdefault(each.judge, []).append(each)
    idle = []
    for judge, own in of_judge.items():
        waiting = [each for each in own if each.left]
        seen = max((each.seen for each in own if each.seen), default=None)
        last = seen or min(each.since for each in own)
        if waiting and now - last > patience:
            topics, left = [each.topic for each in waiting], sum(each.left for each in waiting)
            idle.append(
                (last, Standstill(judge, topics, left, _sentence(judge, topics, left, seen, now, last)))
            )
    return [standstill for _, standstill in sorted(idle)]


def _sentence(
    judge: str, topics: list[str], left: int, seen: datetime | None, now: datetime, last: datetime
) -> str:
    noun = "topic" if len(topics) == 1 else "topics"
    named = ", ".join(topics[:5]) + (f" and {len(topics) - 5} more" if len(topics) > 5 else "")
    documents = f"{left:,} document{'' if left == 1 else 's'} left in {noun} {named}"
    if seen:
        return f"{judge} was last seen {ago(now - last)}: {documents}."
    return f"{judge} has not begun in {_span(now - last)}: {documents}."


def ago(span: timedelta) -> str:
    """Return a time span ago in its largest unit, rounded down.

    >>> ago(timedelta(hours=50)), ago(timedelta(seconds=30)), ago(timedelta(minutes=61))
    ('2 days ago', 'now', '1 hour ago')
    """
    return f"{_span(span)} ago" if span >= timedelta(minutes=1) else "now"


def _span(span: timedelta) -> str:
    units = (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1)))
    name, unit = next(((name, unit) for name, unit in units if span >= unit), units[-1])
    count = span // unit
    return f"{count} {name}{'' if count == 1 else 's'}"

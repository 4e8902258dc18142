"""Who stands still, in words: work left, and nobody seen at it for days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

PATIENCE = timedelta(days=2)


class Desk(NamedTuple):
    """One judge at one topic. since: when it became theirs. seen: when they last did something there."""

    judge: str
    topic: str
    left: int
    since: datetime
    seen: datetime | None


class Standstill(NamedTuple):
    """A judge who has topics waiting and was not seen for some time, longest first."""

    judge: str
    topics: list[str]
    left: int
    sentence: str


def stalled(desks: Iterable[Desk], now: datetime, patience: timedelta = PATIENCE) -> list[Standstill]:
    """Return the judges who have documents left and were not seen for `patience`, longest ago first.

    Who works at any of their topics does not stand still. Who has not begun is counted from the day on which
    the first topic became theirs.

    >>> day = datetime(2025, 3, 7)
    >>> [each.sentence for each in stalled([Desk("ada", "7", 12, day, None)], day + timedelta(days=4))]
    ['ada has not begun in 4 days: 12 documents left in topic 7.']
    """
    of_judge: dict[str, list[Desk]] = {}
    for desk in desks:
        of_judge.setdefault(desk.judge, []).append(desk)
    found = []
    for judge, theirs in of_judge.items():
        waiting = [desk for desk in theirs if desk.left]
        seen = max((desk.seen for desk in theirs if desk.seen), default=None)
        last = seen or min(desk.since for desk in theirs)
        if waiting and now - last > patience:
            topics, left = [desk.topic for desk in waiting], sum(desk.left for desk in waiting)
            found.append(
                (last, Standstill(judge, topics, left, _sentence(judge, topics, left, seen, now, last)))
            )
    return [standstill for _, standstill in sorted(found)]


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
    """Return how long ago something was, in its largest unit, rounded down.

    >>> ago(timedelta(hours=50)), ago(timedelta(seconds=30)), ago(timedelta(minutes=61))
    ('2 days ago', 'now', '1 hour ago')
    """
    return f"{_span(span)} ago" if span >= timedelta(minutes=1) else "now"


def _span(span: timedelta) -> str:
    units = (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1)))
    name, unit = next(((name, unit) for name, unit in units if span >= unit), units[-1])
    count = span // unit
    return f"{count} {name}{'' if count == 1 else 's'}"

"""When a campaign accepts runs: its state, its switch and its dates, in its time zone."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from pooling.campaign_states import DRAFT, OPEN
from pooling.refusals import Refused

UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


class SubmissionWindow(NamedTuple):
    """What decides whether runs are accepted. Times are aware; None: no limit. time_zone: an IANA name."""

    state: str
    accepts_runs: bool = True
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    marks_late: bool = False
    time_zone: str = "UTC"


class Acceptance(NamedTuple):
    """Whether runs are accepted at a time, and whether they are late. sentence: the same for people."""

    accepts: bool
    is_late: bool
    sentence: str


def acceptance(window: SubmissionWindow, now: datetime, is_organiser: bool = False) -> Acceptance:
    """Return whether a run that arrives now is accepted.

    An organiser submits at any time while the campaign is a draft or open: the switch and the dates limit
    participants. An organiser's run after the deadline is late only where late runs are accepted at all.

    >>> acceptance(SubmissionWindow("closed"), datetime(2026, 12, 1)).sentence
    'The campaign is closed: no runs are accepted.'
    """
    accepts, sentence = _for_participants(window, now)
    after = window.closes_at is not None and now > window.closes_at
    may = accepts or (is_organiser and window.state in (DRAFT, OPEN))
    return Acceptance(may, may and after and window.marks_late, sentence)


def _for_participants(window: SubmissionWindow, now: datetime) -> tuple[bool, str]:
    opens, closes = window.opens_at, window.closes_at
    if window.state == DRAFT:
        return False, "The campaign has not been opened yet: participants cannot submit runs."
    if window.state != OPEN:
        return False, f"The campaign is {window.state}: no runs are accepted."
    if not window.accepts_runs:
        return False, "The organiser has switched submission off: no runs are accepted."
    if opens and now < opens:
        return False, f"Submission opens on {shown_time(opens, window.time_zone)} ({distance(opens - now)})."
    if not closes:
        return True, "Submission is open."
    at = f"{shown_time(closes, window.time_zone)} ({distance(closes - now)})"
    if now <= closes:
        return True, f"Submission is open until {at}."
    if window.marks_late:
        return True, f"Submission closed on {at}. Runs are still accepted and are marked as late."
    return False, f"Submission closed on {at}: no runs are accepted."


def may_change_runs(window: SubmissionWindow, now: datetime) -> bool:
    """Return whether a participant may still withdraw, replace or change a run."""
    accepts, _ = _for_participants(window, now)
    return accepts and (window.closes_at is None or now <= window.closes_at)


OFFSET = re.compile(r"(?:UTC|GMT)? ?([+\-−])0?(\d{1,2})(?::?00)?", re.IGNORECASE)
ANYWHERE = "Etc/GMT+12"  # the last zone in which a day ends; the names Etc/GMT±n have the sign of POSIX

TIME_FORMATS = {
    "minute": "{0.day} {0:%b %Y, %H:%M %Z}",
    "second": "{0.day} {0:%b %Y, %H:%M:%S %Z}",
    "clock": "{0:%H:%M %Z}",
    "day": "{0.day} {0:%b %Y}",
    "deadline": "{0.day} {0:%b %Y %H:%M} {1}",
}


def shown_time(time: datetime, time_zone: str, precision: str = "deadline") -> str:
    """Return a time in a time zone, with the zone and its offset. precision: a key of TIME_FORMATS.

    >>> from datetime import timezone
    >>> shown_time(datetime(2026, 12, 12, 22, 59, tzinfo=timezone.utc), "Europe/Berlin")
    '12 Dec 2026 23:59 Europe/Berlin, UTC+1'
    """
    zone = zone_of(time_zone)
    local, name = time.astimezone(zone), time_zone_label(zone.key)
    offset = _offset_text(local.utcoffset() or timedelta(0))
    named = name if name == offset else f"{name}, {offset}"
    return TIME_FORMATS[precision].format(local, named)


def _offset_text(offset: timedelta) -> str:
    """Return an offset from UTC.

    >>> _offset_text(timedelta(hours=5, minutes=30)), _offset_text(timedelta(hours=-12))
    ('UTC+5:30', 'UTC−12')
    """
    hours, minutes = divmod(abs(int(offset.total_seconds())) // 60, 60)
    if not hours and not minutes:
        return "UTC"
    return f"UTC{'+' if offset > timedelta(0) else '−'}{hours}{f':{minutes:02}' if minutes else ''}"


def time_zone_label(name: str) -> str:
    """Return how pages name a time zone: AoE (anywhere on Earth), an offset from UTC, or the IANA name.

    >>> time_zone_label("Etc/GMT+12"), time_zone_label("Etc/GMT-5"), time_zone_label("Europe/Berlin")
    ('AoE', 'UTC+5', 'Europe/Berlin')
    """
    if name == ANYWHERE:
        return "AoE"
    if name.startswith("Etc/"):
        return _offset_text(datetime(2026, 1, 1, tzinfo=zone_of(name)).utcoffset() or timedelta(0))
    return name


def time_zone_of_label(label: str) -> str:
    """Return the IANA name of a time zone that a person named; "" if there is none.

    >>> time_zone_of_label("aoe"), time_zone_of_label("UTC+5"), time_zone_of_label("-03:00")
    ('Etc/GMT+12', 'Etc/GMT-5', 'Etc/GMT+3')
    >>> time_zone_of_label("Europe/Berlin"), time_zone_of_label("UTC+5:30")
    ('Europe/Berlin', '')
    """
    if label.lower() == "aoe":
        return ANYWHERE
    if offset := OFFSET.fullmatch(label):
        name = f"Etc/GMT{'-' if offset[1] == '+' else '+'}{int(offset[2])}"
        return "UTC" if name.endswith(("+0", "-0")) else name if is_time_zone(name) else ""
    return label if is_time_zone(label) else ""


def distance(span: timedelta) -> str:
    """Return how far away a time is, in its largest unit, rounded down.

    >>> distance(timedelta(days=3, hours=5)), distance(timedelta(minutes=-61)), distance(timedelta(seconds=5))
    ('in 3 days', '1 hour ago', 'in less than a minute')
    """
    seconds = abs(span.total_seconds())
    for name, size in UNITS:
        if count := int(seconds // size):
            text = f"{count} {name}{'s' if count > 1 else ''}"
            break
    else:
        text = "less than a minute"
    return f"in {text}" if span >= timedelta(0) else f"{text} ago"


def is_time_zone(name: str) -> bool:
    """Return whether this is the IANA name of a time zone.

    >>> is_time_zone("Europe/Berlin"), is_time_zone("Berlin"), is_time_zone("../etc/passwd")
    (True, False, False)
    """
    return name in time_zones()


@cache
def time_zones() -> tuple[str, ...]:
    """Return the IANA names of all time zones, sorted."""
    return tuple(sorted(name for name in available_timezones() if name[0].isupper() and name != "Factory"))


def time_zone_labels() -> list[str]:
    """Return the names of time zones for a list: AoE, UTC and its offsets, then the IANA names of places."""
    offsets = [f"UTC{sign}{hours}" for sign, most in (("+", 14), ("−", 11)) for hours in range(1, most + 1)]
    return ["AoE", "UTC", *offsets, *(name for name in time_zones() if "/" in name and name[:4] != "Etc/")]


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone; UTC for a name that this server does not know, as in a campaign from another."""
    return ZoneInfo(name if is_time_zone(name) else "UTC")


def in_time_zone(local: datetime, time_zone: str) -> datetime:
    """Return a local time with its zone. Raises Refused if a change of the clocks skips or repeats it.

    >>> in_time_zone(datetime(2026, 7, 1, 12), "Europe/Berlin").isoformat()
    '2026-07-01T12:00:00+02:00'
    """
    zone = zone_of(time_zone)
    first, second = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first
    at = f"{local:%H:%M} on {local.day} {local:%b %Y}"
    utc = ZoneInfo("UTC")
    is_skipped = first.astimezone(utc).astimezone(zone).replace(tzinfo=None) != local
    happens = "does not exist" if is_skipped else "occurs twice"
    raise Refused(f"{at} {happens} in {time_zone}, because the clocks change. Choose another time.")

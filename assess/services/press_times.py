"""When a judge pressed: labels and votes can be sent long after the press."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone


def press_time(seconds_ago: float | None, earliest: datetime) -> datetime:
    """Return the time of a press by the server's clock, between `earliest` and now.

    seconds_ago: time since the press, by the clock of the judge; None counts as 0.
    """
    now = timezone.now()
    longest = max(0.0, (now - earliest).total_seconds())
    return now - timedelta(seconds=min(max(seconds_ago or 0.0, 0.0), longest))

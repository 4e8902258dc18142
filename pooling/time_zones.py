"""Time zones by name."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zone_named(name: str) -> tzinfo:
    """Return a time zone by its IANA name; UTC for a name that is not known on this machine.

    >>> zone_named("Europe/Berlin"), zone_named("Mars/Olympus")
    (zoneinfo.ZoneInfo(key='Europe/Berlin'), datetime.timezone.utc)
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC

"""Results that are cached until something they are computed from changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Max, Sum

from assess.models import Progress
from pooling.models import Campaign

Value = TypeVar("Value")
HOUR = 3600


def label_version(campaign: Campaign) -> str:
    """Return what changes whenever a label of the campaign becomes visible, or counts otherwise.

    Read it before the labels: what is cached under it is then at least as new as it says. The time of the
    last change tells a database that was set back from the one before.
    """
    rows = Progress.objects.filter(topic__campaign=campaign)
    found = rows.aggregate(version=Sum("version"), at=Max("changed_at"))
    at = round(found["at"].timestamp() * 1e6) if found["at"] else 0
    return f"{found['version'] or 0}-{at}-{campaign.threshold}-{len(campaign.grades)}"


def cached(campaign: Campaign, name: str, version: object, compute: Callable[[], Value]) -> Value:
    """Return what was computed for this version; else compute it, and replace what is out of date.

    So a campaign takes no more room while labels come in. name: without blanks, of the result.
    """
    key = f"cached-{campaign.pk}-{name}"
    entry = cache.get(key)
    if entry is None or entry[0] != version:
        entry = version, compute()
        cache.set(key, entry, HOUR)
    value: Value = entry[1]
    return value

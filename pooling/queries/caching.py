"""Results that are cached until something they are computed from changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

from pooling.models import Campaign

Value = TypeVar("Value")
HOUR = 3600


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

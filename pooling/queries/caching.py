"""A cache of computed results, keyed by the version of the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

from pooling.models import Campaign

Value = TypeVar("Value")
HOUR = 3600


def cached(campaign: Campaign, name: str, version: object, compute: Callable[[], Value]) -> Value:
    """Return the cached result of this version, or compute it and replace the older version.

    A campaign has one entry for each name, so its memory does not grow with labels. name: of the result,
    without blanks.
    """
    key = f"cached-{campaign.pk}-{name}"
    entry = cache.get(key)
    if entry is None or entry[0] != version:
        entry = version, compute()
        cache.set(key, entry, HOUR)
    value: Value = entry[1]
    return value

"""What was worked out is kept until something that it is made of changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

from pooling.models import Campaign

Kept = TypeVar("Kept")
HOUR = 3600


def kept(campaign: Campaign, name: str, stamp: object, make: Callable[[], Kept]) -> Kept:
    """Return what was made for this stamp; else make it anew, in the place of what is out of date.

    So a campaign takes no more room while labels come in. name: without blanks, of what is kept.
    """
    key = f"kept-{campaign.pk}-{name}"
    found = cache.get(key)
    if found is None or found[0] != stamp:
        found = stamp, make()
        cache.set(key, found, HOUR)
    value: Kept = found[1]
    return value

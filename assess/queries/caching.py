"""The version of a campaign's labels, by which results computed from them are cached."""

from __future__ import annotations

from django.db.models import Max, Sum

from assess.models import Progress
from pooling.models import Campaign
from pooling.queries.caching import cached

__all__ = ["cached", "label_version"]


def label_version(campaign: Campaign) -> str:
    """Return a version that changes whenever a label of the campaign becomes visible or counts differently.

    Read it before the labels, so that a cached value is at least as new as its version. The time of the last
    change distinguishes a restored database from the one before.
    """
    rows = Progress.objects.filter(topic__campaign=campaign)
    figures = rows.aggregate(version=Sum("version"), at=Max("changed_at"))
    at = round(figures["at"].timestamp() * 1e6) if figures["at"] else 0
    return f"{figures['version'] or 0}-{at}-{campaign.threshold}-{len(campaign.grades)}"

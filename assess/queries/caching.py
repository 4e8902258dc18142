"""The version of a campaign's labels, by which results computed from them are cached."""

from __future__ import annotations

from django.db.models import Max, Sum

from assess.models import Progress
from pooling.models import Campaign
from pooling.queries.caching import cached

__all__ = ["cached", "label_version"]


def label_version(campaign: Campaign) -> str:
    """Return what changes whenever a label of the campaign becomes visible, or counts otherwise.

    Read it before the labels: what is cached under it is then at least as new as it says. The time of the
    last change tells a database that was set back from the one before.
    """
    rows = Progress.objects.filter(topic__campaign=campaign)
    found = rows.aggregate(version=Sum("version"), at=Max("changed_at"))
    at = round(found["at"].timestamp() * 1e6) if found["at"] else 0
    return f"{found['version'] or 0}-{at}-{campaign.threshold}-{len(campaign.grades)}"

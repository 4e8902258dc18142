"""Documents of shared topics that two judges labelled, because a lease had expired before the label came."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from assess.models import QueueEntry
from pooling.models import Campaign, PooledDocument


def labelled_twice(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return the documents of shared topics with labels of several of the judges who share them."""
    done = Q(
        queued__state=QueueEntry.State.DONE,
        queued__kind=QueueEntry.Kind.JUDGING,
        queued__leased_until__isnull=False,
    )
    pooled = PooledDocument.objects.filter(pool__campaign=campaign)
    counted = pooled.annotate(judges=Count("queued__judge", filter=done, distinct=True))
    return counted.filter(judges__gt=1).select_related("topic").order_by("topic__place", "docno")

"""Leases of the documents of a shared topic: a judge has a document until its lease expires."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from assess.models import QueueEntry
from pooling.models import Topic

LEASE_DURATION = timedelta(minutes=30)
LEASE_RENEWAL_INTERVAL = timedelta(minutes=5)


def new_lease_end() -> datetime:
    """Return the time at which a lease that begins now expires."""
    return timezone.now() + LEASE_DURATION


def renew_leases(judge: User, topic: Topic) -> None:
    """Renew the leases of a judge on a shared topic, at most every five minutes."""
    leased = QueueEntry.objects.filter(judge=judge, topic=topic, state=QueueEntry.State.OPEN)
    due = new_lease_end() - LEASE_RENEWAL_INTERVAL
    if leased.filter(leased_until__lt=due).exists():  # usually none is, and nothing is written
        with transaction.atomic():
            leased.filter(leased_until__isnull=False).update(leased_until=new_lease_end())


def release_expired_leases(entries: QuerySet[QueueEntry]) -> None:
    """Release the open documents among these entries whose lease expired, so that another judge gets them."""
    expired = entries.filter(state=QueueEntry.State.OPEN, leased_until__lt=timezone.now())
    expired.update(state=QueueEntry.State.AWAY)

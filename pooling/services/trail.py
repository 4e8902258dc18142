"""Who changed what: one line in every service that changes a campaign."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from pooling.models import Campaign, TrailEntry
from pooling.trail import plain, seal


@transaction.atomic
def note(campaign: Campaign, user: User | None, verb: str, sentence: str, /, **details: Any) -> TrailEntry:
    """Write an entry of the trail, in the transaction of the change itself.

    user: None where nobody signed in, as in a script. verb: one of a few, to filter by. sentence: the rest of
    it, for people. details: the same for programs.
    """
    # One after the other, because each is sealed to the last; rows that merely point to the campaign go on.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    last = campaign.trail.first()
    entry = TrailEntry(
        campaign=campaign,
        number=last.number + 1 if last else 1,
        user=user,
        who=user.username if user else "",
        verb=verb,
        sentence=sentence,
        details=plain(details),
    )
    entry.seal = seal(last.seal if last else "", entry.record)
    entry.save()
    return entry

"""The audit log: every service that changes a campaign writes one entry."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from pooling.audit_log import chain_hash, json_values
from pooling.models import AuditLogEntry, Campaign


@transaction.atomic
def log_change(
    campaign: Campaign, user: User | None, verb: str, sentence: str, /, **details: Any
) -> AuditLogEntry:
    """Write an entry of the audit log, in the transaction of the change itself.

    user: None if there is none, as in a script. verb: the kind of change, to filter by. sentence: what was
    changed, for people. details: the same for programs.
    """
    # One entry at a time, because its hash covers the last one; inserts into other tables go on.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    last = campaign.audit_log.first()
    entry = AuditLogEntry(
        campaign=campaign,
        number=last.number + 1 if last else 1,
        user=user,
        who=user.username if user else "",
        verb=verb,
        sentence=sentence,
        details=json_values(details),
    )
    entry.chain_hash = chain_hash(last.chain_hash if last else "", entry.record)
    entry.save()
    return entry

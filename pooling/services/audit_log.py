"""The audit log: every service that changes a campaign writes one entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.models import User
from pooling.audit_log import chain_hash, json_values
from pooling.campaign_states import check_writable
from pooling.models import AuditLogEntry, Campaign


@transaction.atomic
def log_change(
    campaign: Campaign, user: User | None, verb: str, sentence: str, /, **details: Any
) -> AuditLogEntry:
    """Write an entry of the audit log, in the transaction of the change itself.

    Raises StateRefused for an archived campaign. Every service writes an entry, so this one check makes an
    archived campaign read-only: the transaction of the change is rolled back.

    user: None if there is none, as in a script. verb: the kind of change, to filter by. sentence: what was
    changed, for people. details: the same for programs.
    """
    # One entry at a time, because its hash covers the last one; inserts into other tables go on.
    check_writable(Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk).state)
    return append_entry(campaign, user, verb, sentence, details)


def append_entry(
    campaign: Campaign, user: User | None, verb: str, sentence: str, details: Mapping[str, Any]
) -> AuditLogEntry:
    """Append an entry, also to the log of an archived campaign. The caller's transaction locks its row."""
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

"""Invitations: the open ones of a campaign, and an accepted one."""

from __future__ import annotations

from django.db.models import QuerySet

from pooling.checksum import sha256_of
from pooling.models import Campaign, Invitation


def open_invitations(campaign: Campaign) -> QuerySet[Invitation]:
    """Return the invitations that can still be accepted, with their topics."""
    rows = campaign.invitations.open().select_related("created_by", "invited_topics")
    return rows.prefetch_related("invited_topics__topics")


def accepted_invitation(token: str) -> Invitation | None:
    """Return the invitation behind a link if the user who accepted it is still in the campaign."""
    rows = Invitation.objects.filter(token_hash=sha256_of(token)).exclude(used_by=None)
    invitation = rows.select_related("used_by", "campaign").first()
    if invitation and invitation.campaign.memberships.filter(user=invitation.used_by).exists():
        return invitation
    return None

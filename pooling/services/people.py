"""Campaigns and their people."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from pooling.checksum import sha256_of
from pooling.models import (
    Campaign,
    Invitation,
    Membership,
    Role,
)
from pooling.refusals import Refused
from pooling.scale import Grade, check_scale, scale_to_json
from pooling.services.trail import note

INVITATION_LASTS = timedelta(days=14)


class InvitationSpent(Refused):
    """An invitation that was used, has run out or never was."""


@transaction.atomic
def create_campaign(
    organiser: User, name: str, slug: str, grades: tuple[Grade, ...], threshold: int, **texts: Any
) -> Campaign:
    """Found a campaign, with this person as its organiser. Raises BadScale."""
    check_scale(grades, threshold)
    campaign = Campaign.objects.create(
        name=name, slug=slug, scale=scale_to_json(grades), threshold=threshold, **texts
    )
    note(campaign, organiser, "founded the campaign", name, scale=campaign.scale, threshold=threshold)
    add_member(campaign, organiser, Role.ORGANISER, by=organiser)
    return campaign


@transaction.atomic
def add_member(
    campaign: Campaign, user: User, role: Role | str, group: str = "", by: User | None = None
) -> Membership:
    """Give a person a role; a participant's group may be changed by calling again."""
    membership, _ = Membership.objects.update_or_create(
        campaign=campaign, user=user, role=role, defaults={"group": group}
    )
    note(campaign, by, "gave a role", str(membership), user=user.username, role=role, group=group)
    return membership


@transaction.atomic
def remove_member(membership: Membership, by: User | None = None) -> None:
    """Take a role from a person. Labels and runs stay."""
    about = {"user": membership.user.username, "role": membership.role, "group": membership.group}
    note(membership.campaign, by, "took a role", str(membership), **about)
    membership.delete()


@transaction.atomic
def invite(campaign: Campaign, role: Role | str, group: str = "", by: User | None = None) -> str:
    """Return the secret of a new invitation link: shown once, only its hash is kept."""
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        campaign=campaign,
        role=role,
        group=group,
        token_hash=sha256_of(token),
        expires_at=timezone.now() + INVITATION_LASTS,
    )
    note(campaign, by, "invited", f"a link: {invitation.get_role_display().lower()}", role=role, group=group)
    return token


def open_invitation(token: str) -> Invitation:
    """Return the invitation behind a link. Raises InvitationSpent."""
    usable = Invitation.objects.filter(used_at=None, expires_at__gt=timezone.now())
    invitation = usable.filter(token_hash=sha256_of(token)).first()
    if invitation is None:
        raise InvitationSpent("This invitation was used already, or has run out. Ask for a new link.")
    return invitation


@transaction.atomic
def accept_invitation(token: str, user: User) -> Membership:
    """Make this person a member and spend the link. Raises InvitationSpent."""
    invitation = open_invitation(token)
    # The guarded update decides between two people who open the link at the same moment.
    if not Invitation.objects.filter(pk=invitation.pk, used_at=None).update(used_at=timezone.now()):
        raise InvitationSpent("This invitation was used already. Ask for a new link.")
    return add_member(invitation.campaign, user, invitation.role, invitation.group, by=user)


@transaction.atomic
def join_as_new_user(token: str, username: str, name: str, password: str, email: str = "") -> Membership:
    """Make an account for whoever holds an invitation. Raises InvitationSpent, and then makes none."""
    return accept_invitation(token, User.objects.create_user(username, email, password, name=name))

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
from pooling.scale import Grade, check_scale, scale_to_json

INVITATION_LASTS = timedelta(days=14)


class InvitationSpent(ValueError):
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
    add_member(campaign, organiser, Role.ORGANISER)
    return campaign


def add_member(campaign: Campaign, user: User, role: Role | str, group: str = "") -> Membership:
    """Give a person a role; a participant's group may be changed by calling again."""
    membership, _ = Membership.objects.update_or_create(
        campaign=campaign, user=user, role=role, defaults={"group": group}
    )
    return membership


def remove_member(membership: Membership) -> None:
    """Take a role from a person. Labels and runs stay."""
    membership.delete()


def invite(campaign: Campaign, role: Role | str, group: str = "") -> str:
    """Return the secret of a new invitation link: shown once, only its hash is kept."""
    token = secrets.token_urlsafe(32)
    Invitation.objects.create(
        campaign=campaign,
        role=role,
        group=group,
        token_hash=sha256_of(token),
        expires_at=timezone.now() + INVITATION_LASTS,
    )
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
    return add_member(invitation.campaign, user, invitation.role, invitation.group)


@transaction.atomic
def join_as_new_user(token: str, username: str, name: str, password: str) -> Membership:
    """Make an account for whoever holds an invitation. Raises InvitationSpent, and then makes none."""
    return accept_invitation(token, User.objects.create_user(username, name=name, password=password))

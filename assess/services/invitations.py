"""Invitations that bring topics along."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from accounts.models import User
from assess.models import InvitedTopics
from assess.services.assignments import assign
from pooling import services as pooling
from pooling.models import Campaign, Invitation, Membership, Role, Topic


@transaction.atomic
def invite_to_topics(
    campaign: Campaign, topics: Iterable[Topic], part: str, by: User | None = None, recipient: str = ""
) -> str:
    """Return the secret of a link that makes one person a judge of these topics."""
    token = pooling.invite(campaign, Role.JUDGE, by=by, recipient=recipient)
    invited = InvitedTopics.objects.create(invitation=pooling.open_invitation(token), part=part)
    invited.topics.set(topics)
    return token


@transaction.atomic
def accept_invitation(token: str, user: User) -> Membership:
    """Make this person a member, with the topics that the link brings.

    Raises InvitationSpent and MemberRefused.
    """
    invitation = pooling.open_invitation(token)
    membership = pooling.accept_invitation(token, user)
    _take_up(invitation, user)
    return membership


@transaction.atomic
def join_as_new_user(token: str, **about: str) -> Membership:
    """Make an account for the holder of an invitation, and accept it.

    Raises InvitationSpent, MemberRefused and NameTaken.
    """
    invitation = pooling.open_invitation(token)
    membership = pooling.join_as_new_user(token, **about)
    _take_up(invitation, membership.user)
    return membership


def _take_up(invitation: Invitation, user: User) -> None:
    if invited := InvitedTopics.objects.filter(invitation=invitation).first():
        assign([user], invited.topics.all(), invited.part, by=user)

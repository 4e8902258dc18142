"""Invitations that assign topics to the new judge."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from accounts.models import User
from accounts.provider import ProviderIdentity
from accounts.services import create_account_of_identity
from assess.models import InvitedTopics
from assess.services.assignments import assign
from pooling.models import Campaign, Invitation, Membership, Role, Topic
from pooling.services import people as people_services
from pooling.services.people import invite, open_invitation


@transaction.atomic
def invite_to_topics(
    campaign: Campaign,
    topics: Iterable[Topic],
    part: str,
    by: User | None = None,
    recipient: str = "",
    email: str = "",
    key: str = "",
) -> str:
    """Create an invitation for one judge of these topics. Return the secret token of its link.

    key: see `make_once`.
    """
    token = invite(campaign, Role.JUDGE, by=by, recipient=recipient, email=email, key=key)
    invited, _ = InvitedTopics.objects.get_or_create(
        invitation=open_invitation(token), defaults={"part": part}
    )
    invited.topics.set(topics)
    return token


@transaction.atomic
def accept_invitation(token: str, user: User) -> Membership:
    """Accept an invitation: add the user as a member and assign the topics of the invitation.

    Raises InvitationSpent and MemberRefused.
    """
    invitation = open_invitation(token)
    membership = people_services.accept_invitation(token, user)
    _assign_topics(invitation, user)
    return membership


@transaction.atomic
def join_as_new_user(token: str, **about: str) -> Membership:
    """Create an account and accept an invitation with it.

    Raises InvitationSpent, MemberRefused and NameTaken.
    """
    invitation = open_invitation(token)
    membership = people_services.join_as_new_user(token, **about)
    _assign_topics(invitation, membership.user)
    return membership


@transaction.atomic
def join_from_provider(token: str, identity: ProviderIdentity) -> Membership:
    """Create an account for a person at the sign-in provider and accept an invitation with it.

    Raises InvitationSpent, MemberRefused and ProviderRefusal; then no account is made.
    """
    return accept_invitation(token, create_account_of_identity(identity))


def _assign_topics(invitation: Invitation, user: User) -> None:
    if invited := InvitedTopics.objects.filter(invitation=invitation).first():
        assign([user], invited.topics.all(), invited.part, by=user)

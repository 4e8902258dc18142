"""Memberships with their assignments: change and end them, invite judges to topics, accept an invitation.

A judge who leaves loses the assignments, and every label stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.provider import ProviderIdentity
from accounts.services import create_account_of_identity
from assess.models import Assignment, InvitedTopics
from assess.services.assignments import assign, move_topic, unassign_topic
from pooling.checksum import sha256_of
from pooling.models import Campaign, Invitation, Membership, Role, Topic
from pooling.queries.campaigns import group_of
from pooling.services.people import (
    invite,
    open_invitation,
    remove_member,
    set_roles,
    store_acceptance,
    store_acceptance_of_new_user,
)


class Departure(NamedTuple):
    """What ended with the roles that a person lost.

    organiser: whether the role of an organiser did. documents: those that wait for another judge.
    """

    organiser: bool
    invitations: int
    topics: int
    documents: int


@transaction.atomic
def change_roles(
    campaign: Campaign, user: User, roles: Collection[str], group: str = "", by: User | None = None
) -> Departure:
    """Give a member exactly these roles; who is no longer a judge loses the assignments.

    Raises MemberRefused.
    """
    changes = set_roles(campaign, user, roles, group, by)
    topics, documents = end_assignments(campaign, user, by) if Role.JUDGE in changes.taken else (0, 0)
    return Departure(Role.ORGANISER in changes.taken, changes.revoked, topics, documents)


@transaction.atomic
def remove_person(campaign: Campaign, user: User, by: User | None = None) -> Departure:
    """Take all roles from a person and end the assignments. Raises MemberRefused for the last organiser."""
    memberships = list(campaign.memberships.filter(user=user).select_related("user", "campaign"))
    revoked = sum(remove_member(membership, by) for membership in memberships)
    organiser = any(membership.role == Role.ORGANISER for membership in memberships)
    return Departure(organiser, revoked, *end_assignments(campaign, user, by))


def end_assignments(campaign: Campaign, user: User, by: User | None) -> tuple[int, int]:
    """Remove every topic of a person who can sign in; return how many, and how many documents wait then.

    The judge of imported labels has nothing to judge, so those assignments stay.
    """
    if not user.is_active:
        return 0, 0
    topics = Topic.objects.filter(pk__in=assigned_topics(campaign, user))
    documents = [unassign_topic(topic, user, by) for topic in topics.select_related("campaign")]
    return len(documents), sum(documents)


class Replacement(NamedTuple):
    """What other judges got of a judge. documents: open ones that moved. taken: judge -> their topics."""

    documents: int
    taken: dict[User, list[Topic]]

    @property
    def topics(self) -> int:
        return sum(map(len, self.taken.values()))


@transaction.atomic
def replace_judge(
    campaign: Campaign, judge: User, plan: Mapping[Topic, User], leaves: bool = False, by: User | None = None
) -> Replacement:
    """Move each topic of a judge to the judge whom the plan names. Every label stays.

    leaves: whether the judge also loses the role of a judge, and topics that the plan does not name. Raises
    MoveRefused for a topic that the judge does not have, and MemberRefused.
    """
    taken: dict[User, list[Topic]] = {}
    documents = 0
    for topic, new_judge in plan.items():
        documents += move_topic(topic, judge, new_judge, by)
        taken.setdefault(new_judge, []).append(topic)
    if leaves:
        others = campaign.memberships.filter(user=judge).exclude(role=Role.JUDGE)
        if roles := [membership.role for membership in others]:
            change_roles(campaign, judge, roles, group_of(judge, campaign), by)
        else:
            remove_person(campaign, judge, by)
    return Replacement(documents, taken)


def assigned_topics(campaign: Campaign, user: User) -> set[int]:
    rows = Assignment.objects.filter(topic__campaign=campaign, judge=user)
    return set(rows.values_list("topic", flat=True))


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


class Invited(NamedTuple):
    """A person of a list. line: its number. group: of a participant. topics: of a judge."""

    line: int
    name: str
    address: str
    role: str
    group: str = ""
    topics: tuple[Topic, ...] = ()


@transaction.atomic
def invite_many(campaign: Campaign, people: Iterable[Invited], by: User | None, key: str = "") -> list[str]:
    """Invite all these people, or none. Return the secret of each link.

    key: see `make_once`; a repeated request gets new links for the same invitations. Raises MemberRefused.
    """
    tokens = []
    for person in people:
        own_key = sha256_of(f"{key} {person.line}") if key else ""
        about = {"recipient": person.name, "email": person.address, "key": own_key}
        if person.topics:
            part = Assignment.Part.PRIMARY
            tokens.append(invite_to_topics(campaign, person.topics, part, by, **about))
        else:
            tokens.append(invite(campaign, person.role, person.group, by, **about))
    return tokens


@transaction.atomic
def accept_invitation(token: str, user: User) -> Membership:
    """Accept an invitation: add the user as a member and assign the topics of the invitation.

    Raises InvitationSpent and MemberRefused.
    """
    invitation = open_invitation(token)
    membership = store_acceptance(token, user)
    _assign_topics(invitation, user)
    return membership


@transaction.atomic
def join_as_new_user(token: str, **about: str) -> Membership:
    """Create an account and accept an invitation with it.

    Raises InvitationSpent, MemberRefused and NameTaken.
    """
    invitation = open_invitation(token)
    membership = store_acceptance_of_new_user(token, **about)
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

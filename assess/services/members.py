"""Change and end memberships; a judge who leaves loses the assignments, and every label stays."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from assess.models import Assignment
from assess.services.assignments import unassign_topic
from pooling.models import Campaign, Role, Topic
from pooling.services import people


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
    changes = people.change_roles(campaign, user, roles, group, by)
    topics, documents = end_assignments(campaign, user, by) if Role.JUDGE in changes.taken else (0, 0)
    return Departure(Role.ORGANISER in changes.taken, changes.revoked, topics, documents)


@transaction.atomic
def remove_person(campaign: Campaign, user: User, by: User | None = None) -> Departure:
    """Take all roles from a person and end the assignments. Raises MemberRefused for the last organiser."""
    memberships = list(campaign.memberships.filter(user=user).select_related("user", "campaign"))
    revoked = sum(people.remove_member(membership, by) for membership in memberships)
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


def assigned_topics(campaign: Campaign, user: User) -> set[int]:
    rows = Assignment.objects.filter(topic__campaign=campaign, judge=user)
    return set(rows.values_list("topic", flat=True))

"""The people of a campaign: one row a person, with every role."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Max

from accounts.models import User
from assess.models import Assignment, JudgmentEvent, Progress, QueueEntry
from pooling.models import Campaign, Membership, Role


class Person(NamedTuple):
    """A member. roles: values of Role. seen: the last sign-in, request or label; None if there was none.

    account: "" for an account that can sign in; otherwise why it cannot.
    """

    user: User
    roles: frozenset[str]
    group: str
    seen: datetime | None
    account: str

    @property
    def role_names(self) -> str:
        return ", ".join(role.label.lower() for role in Role if role in self.roles)


class Contribution(NamedTuple):
    """What a person has done, and still has to do, in a campaign: shown before the person is removed."""

    labels: int
    runs: int
    topics: int
    documents: int


def people_of(campaign: Campaign) -> list[Person]:
    """Return every member by name."""
    memberships: dict[User, list[Membership]] = {}
    for membership in campaign.memberships.select_related("user").order_by("user__username", "role"):
        memberships.setdefault(membership.user, []).append(membership)
    seen = _last_seen(campaign, memberships)
    machines = set(campaign.sources.programs().values_list("user", flat=True))
    return [
        Person(
            user,
            frozenset(each.role for each in own),
            next((each.group for each in own if each.group), ""),
            seen.get(user.pk),
            _account(user, user.pk in machines),
        )
        for user, own in memberships.items()
    ]


def _last_seen(campaign: Campaign, users: dict[User, list[Membership]]) -> dict[int, datetime]:
    """Return user -> the latest of sign-in, session, API token and label in this campaign."""
    rows = User.objects.filter(pk__in=[user.pk for user in users])
    times: dict[int, list[datetime | None]] = {
        pk: [*found]
        for pk, *found in rows.annotate(session=Max("sessions__last_seen_at")).values_list(
            "pk", "last_login", "session"
        )
    }
    tokens = rows.annotate(at=Max("api_tokens__last_used_at")).values_list("pk", "at")
    labels = Progress.objects.filter(topic__campaign=campaign, judge__in=times).values("judge").order_by()
    for pk, at in [*tokens, *labels.annotate(at=Max("last_at")).values_list("judge", "at")]:
        times[pk].append(at)
    return {pk: max(known) for pk, found in times.items() if (known := [at for at in found if at])}


def _account(user: User, machine: bool) -> str:
    if machine:
        return "machine judge"
    if user.is_active:
        return "" if user.can_sign_in else "no password yet"
    return "account disabled" if user.has_usable_password() or user.last_login else "imported"


def contribution_of(campaign: Campaign, user: User) -> Contribution:
    open_entries = QueueEntry.objects.filter(
        topic__campaign=campaign, judge=user, state=QueueEntry.State.OPEN, kind=QueueEntry.Kind.JUDGING
    )
    assigned = Assignment.objects.filter(topic__campaign=campaign, judge=user)
    return Contribution(
        JudgmentEvent.objects.filter(pooled__pool__campaign=campaign, judge=user).count(),
        campaign.runs.filter(submitted_by=user).count(),
        assigned.values("topic").distinct().count(),
        open_entries.count(),
    )

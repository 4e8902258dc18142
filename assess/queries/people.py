"""The people of a campaign with every role, their invitations, and what a participant sees."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from django.db.models import Max, QuerySet

from accounts.models import User
from assess.models import Assignment, JudgmentEvent, Progress, QueueEntry
from assess.queries.release_states import annotate_after_release
from pooling.checksum import sha256_of
from pooling.models import Campaign, Invitation, Membership, Role, Run
from pooling.queries.campaigns import group_of, runs_of_group


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
        pk: [*seen]
        for pk, *seen in rows.annotate(session=Max("sessions__last_seen_at")).values_list(
            "pk", "last_login", "session"
        )
    }
    tokens = rows.annotate(at=Max("api_tokens__last_used_at")).values_list("pk", "at")
    labels = Progress.objects.filter(topic__campaign=campaign, judge__in=times).values("judge").order_by()
    for pk, at in [*tokens, *labels.annotate(at=Max("last_at")).values_list("judge", "at")]:
        times[pk].append(at)
    return {pk: max(known) for pk, seen in times.items() if (known := [at for at in seen if at])}


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


def judges_to_choose(campaign: Campaign) -> QuerySet[User]:
    """Return the judges of the campaign who can be given topics: they can sign in, and are not withdrawn."""
    withdrawn = campaign.sources.withdrawn().values("user")
    people = User.objects.filter(is_active=True).exclude(pk__in=withdrawn).order_by("username")
    return people.filter(memberships__campaign=campaign, memberships__role=Role.JUDGE)


class Colleague(NamedTuple):
    """A judge who can be given topics. documents: open ones that the judge has already."""

    judge: User
    documents: int


def colleagues_of(campaign: Campaign) -> list[Colleague]:
    """Return the judges who can be given topics, by sign-in name."""
    queues = QueueEntry.objects.filter(topic__campaign=campaign, state=QueueEntry.State.OPEN)
    waiting = Counter(queues.order_by().values_list("judge", flat=True))
    return [Colleague(judge, waiting[judge.pk]) for judge in judges_to_choose(campaign).distinct()]


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


class SubmittedRun(NamedTuple):
    """A run of the group. version: 1 for the first file that had the tag. states: in words."""

    run: Run
    name: str
    version: int
    states: list[str]


class Participation(NamedTuple):
    """group: "" for a person who does not participate. members: other people of the group."""

    group: str
    members: list[User]
    runs: list[SubmittedRun]
    organisers: list[User]


def participation(user: User, campaign: Campaign) -> Participation:
    group = group_of(user, campaign)
    roles = campaign.memberships.select_related("user").order_by("user__username")
    fellows = roles.filter(role=Role.PARTICIPANT, group=group).exclude(user=user)
    return Participation(
        group,
        [membership.user for membership in fellows],
        submitted_by_group(user, campaign) if group else [],
        [membership.user for membership in roles.filter(role=Role.ORGANISER)],
    )


def submitted_by_group(user: User, campaign: Campaign) -> list[SubmittedRun]:
    """Return the runs of the user's group, newest first, also withdrawn and replaced ones."""
    runs = annotate_after_release(runs_of_group(user, campaign), campaign).prefetch_related("pools")
    versions: Counter[str] = Counter()
    submitted = []
    for run in runs.order_by("submitted_at", "pk"):
        name = run.former_tag or run.tag
        versions[name] += 1
        submitted.append(SubmittedRun(run, name, versions[name], states_of(run)))
    return submitted[::-1]


def states_of(run: Run) -> list[str]:
    """Return the states of a run in words. run: with `after_release`."""
    if run.withdrawn_at:
        return ["withdrawn"]
    numbers = sorted(pool.number for pool in run.pools.all())
    pools = ", ".join(map(str, numbers))
    states = [f"in pool {pools}" if numbers else "not pooled yet"]
    if run.is_late:
        states.append("late")
    if after := getattr(run, "after_release", None):
        states.append(f"submitted after qrels v{after}")
    return states

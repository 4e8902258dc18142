"""What the page of participants shows: their group, their runs, and how to reach the organisers."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from accounts.models import User
from assess.queries.audiences import annotate_after_release
from pooling.models import Campaign, Role, Run
from pooling.queries.campaigns import group_of, runs_of_group


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
    found = []
    for run in runs.order_by("submitted_at", "pk"):
        name = run.former_tag or run.tag
        versions[name] += 1
        found.append(SubmittedRun(run, name, versions[name], states_of(run)))
    return found[::-1]


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

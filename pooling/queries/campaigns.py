"""Campaigns, and what a user may see of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django_tasks.base import Task

from accounts.models import User
from pooling.checksum import sha256_of
from pooling.models import AuditLogEntry, Campaign, Job, Membership, Pool, Role, RunQuerySet, Topic

TOPICS_ON_A_PAGE = 200
OTHER_PARTS = {"hourly_rate", "currency"}  # of costs: readers, who see the version, must not guess them


def campaign_or_404(user: User, slug: str, *roles: Role) -> Campaign:
    """Return the campaign if the user is a member with one of `roles` (any role if none is given).

    The only access to a campaign: raises Http404 for a user who was never a member, so that its name stays
    secret, and PermissionDenied for a member in another role, and for a former member, with the names of
    those to ask. An organiser may open everything.
    """
    rows = Membership.objects.filter(user=user, campaign__slug=slug)
    memberships = rows.select_related("campaign").order_by()
    if not memberships:
        _refuse_former_member(user, slug)
        raise Http404
    campaign = memberships[0].campaign
    campaign.my_roles = frozenset(membership.role for membership in memberships)
    if roles and not campaign.my_roles & {Role.ORGANISER, *roles}:
        raise PermissionDenied(f"This page is for the {' or '.join(role.label.lower() for role in roles)}.")
    return campaign


def settings_version(campaign: Campaign) -> str:
    """Return a text that changes with every change of the settings, the dates or the state."""
    names = sorted({field.attname for field in Campaign._meta.concrete_fields} - OTHER_PARTS)
    return sha256_of(json.dumps([getattr(campaign, name) for name in names], default=str))


def _refuse_former_member(user: User, slug: str) -> None:
    """Raise PermissionDenied for a person from whom a role in the campaign was taken."""
    taken = AuditLogEntry.objects.filter(
        campaign__slug=slug, verb="took a role", details__user=user.username
    ).first()
    if taken is None:
        return
    organisers = Membership.objects.filter(
        campaign=taken.campaign_id, role=Role.ORGANISER, user__is_active=True
    )
    names = ", ".join(str(each.user) for each in organisers.select_related("user").order_by("user__username"))
    raise PermissionDenied(
        "You are no longer a member of this campaign. What you submitted and labelled is kept. "
        f"Ask an organiser if this is a mistake: {names}."
    )


def campaigns_with_roles(user: User) -> list[tuple[Campaign, list[str]]]:
    """Return the campaigns of a user, newest first, each with the names of the roles."""
    roles: dict[Campaign, list[str]] = {}
    memberships = Membership.objects.filter(user=user).select_related("campaign")
    for membership in memberships.order_by("-campaign__created_at", "role"):
        roles.setdefault(membership.campaign, []).append(membership.get_role_display())
    return list(roles.items())


def may_create_campaigns(user: User) -> bool:
    return settings.CAMPAIGN_CREATORS == "everyone" or user.has_perm("pooling.add_campaign")


def set_roles(user: User, campaigns: Sequence[Campaign]) -> None:
    """Set `my_roles` of each campaign to the roles of the user, as `campaign_or_404` does for one."""
    rows = Membership.objects.filter(user=user, campaign__in=campaigns).values_list("campaign", "role")
    for campaign in campaigns:
        campaign.my_roles = frozenset(role for pk, role in rows if pk == campaign.pk)


def group_of(user: User, campaign: Campaign) -> str:
    """Return the group of a participant; empty for other users."""
    membership = campaign.memberships.filter(user=user, role=Role.PARTICIPANT).first()
    return membership.group if membership else ""


def visible_runs(user: User, campaign: Campaign) -> RunQuerySet:
    """Return the runs that the user may see, without withdrawn runs.

    Participants and judges see the runs of their group and the runs that they submitted; readers see all runs
    but hidden ones; organisers and adjudicators see all.
    """
    return submitted_runs(user, campaign).active()


def submitted_runs(user: User, campaign: Campaign) -> RunQuerySet:
    """Return the runs that the user may see, with the withdrawn runs that are their own."""
    if campaign.my_roles & {Role.ORGANISER, Role.ADJUDICATOR}:
        return campaign.runs.all()
    seen = is_of_group(user, campaign)
    if Role.READER in campaign.my_roles:
        seen |= Q(is_hidden=False, withdrawn_at=None)
    return campaign.runs.filter(seen)


def own_runs(user: User, campaign: Campaign) -> RunQuerySet:
    """Return the runs that the user may withdraw and change: of an organiser all, else of the own group."""
    if Role.ORGANISER in campaign.my_roles:
        return campaign.runs.all()
    return runs_of_group(user, campaign)


def runs_of_group(user: User, campaign: Campaign) -> RunQuerySet:
    """Return the runs of the user's group and those that the user submitted, also withdrawn ones."""
    return campaign.runs.filter(is_of_group(user, campaign))


def is_of_group(user: User, campaign: Campaign) -> Q:
    """Return the condition on runs, of documents or of answers, that are of the user's group or own."""
    groups = campaign.memberships.filter(user=user, role=Role.PARTICIPANT).values("group")
    return Q(submitted_by=user) | Q(group__in=groups) & ~Q(group="")


def topic_page(campaign: Campaign, number: str) -> Page[Topic]:
    """Return a page of the topics, with `pool_size`; the first or the last where there is no such page."""
    topics = topics_with_pool_sizes(campaign).order_by("place")
    return Paginator(topics, TOPICS_ON_A_PAGE).get_page(number)


def topics_jsonl(campaign: Campaign) -> bytes:
    """Return the topics as JSON Lines: number, title, description, narrative."""
    names = ("number", "title", "description", "narrative")
    rows = campaign.topics.order_by("place").values(*names)
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def topics_with_pool_sizes(campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics with `pool_size`, the number of documents pooled so far; probes do not count."""
    counts = ~Q(pooled__pool__strategy=Pool.PROBES)
    return campaign.topics.annotate(pool_size=Count("pooled", filter=counts))


def unfinished_jobs(campaign: Campaign, task: Task[..., Any]) -> QuerySet[Job]:
    """Return the jobs of a task that are held, waiting or running."""
    return campaign.jobs.filter(task=task.module_path, state__in=Job.UNFINISHED)

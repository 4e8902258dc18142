"""Clone a campaign, and delete one that holds no label."""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import timedelta

from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone
from django_tasks import task

from accounts.models import User
from assess.models import JudgingPlan
from assess.queries.campaigns import (
    DELETION_RACE_MESSAGE,
    campaign_files,
    deletion_obstacle,
    named_files,
)
from assess.queries.extensions import before_deletion
from pooling.models import Campaign, Image, Membership, Topic
from pooling.refusals import Refused
from pooling.scale import FOUR_STEPS
from pooling.services.audit_log import log_change
from pooling.services.people import add_member, create_campaign

log = logging.getLogger("jurypool.campaigns")

FILE_DELAY = timedelta(days=1)  # from the deletion of a campaign to that of its files

CLONED_PARTS = {
    "scale": "Scale and threshold",
    "guidelines": "Guidelines for judges",
    "rules": "Rules for participants",
    "topics": "Topics",
    "plan": "Judging plan",
    "members": "Members with their roles and groups",
}
DEFAULT_PARTS = tuple(part for part in CLONED_PARTS if part != "members")
CLONED_FIELDS = (
    "description", "collection_size", "run_depth", "time_zone", "licence", "contact", "home_page",
    "hourly_rate", "currency", "late_runs", "runs_per_group", "runs_per_day",
    "shows_topic_statistics", "language", "joins_lines",
)  # fmt: skip  # settings that a clone always has; dates and state begin anew


class DeletionRefused(Refused):
    """A campaign that cannot be deleted; says why."""


@transaction.atomic
def clone_campaign(
    source: Campaign, organiser: User, name: str, slug: str, parts: Collection[str] = DEFAULT_PARTS
) -> Campaign:
    """Create a draft with these parts of another campaign; the person becomes its organiser.

    parts: keys of CLONED_PARTS. Runs, pools, labels and releases are never cloned. Raises ShortNameTaken.
    """
    texts = {field: getattr(source, field) for field in CLONED_FIELDS}
    texts |= {field: getattr(source, field) for field in ("guidelines", "rules") if field in parts}
    scale = (source.grades, source.threshold) if "scale" in parts else (FOUR_STEPS, 2)
    campaign = create_campaign(organiser, name, slug, *scale, **texts)
    if "topics" in parts:
        _clone_topics(source, campaign)
    if "plan" in parts:
        _clone_plan(source, campaign)
    if "members" in parts:
        _clone_members(source, campaign, organiser)
    names = [part for part in CLONED_PARTS if part in parts]
    sentence = f"from {source.slug}: {', '.join(names) or 'settings only'}"
    log_change(campaign, organiser, "cloned the campaign", sentence, source=source.slug, parts=names)
    return campaign


def _clone_topics(source: Campaign, campaign: Campaign) -> None:
    topics = list(source.topics.order_by("place"))
    for topic in topics:
        topic.pk, topic.campaign = None, campaign
    Topic.objects.bulk_create(topics)
    here = dict(campaign.topics.values_list("number", "pk"))
    images = list(source.images.of_any_topic().select_related("topic"))
    for image in images:
        assert image.topic
        image.pk, image.campaign, image.topic_id = None, campaign, here[image.topic.number]
    Image.objects.bulk_create(images)


def _clone_plan(source: Campaign, campaign: Campaign) -> None:
    if plan := JudgingPlan.objects.filter(campaign=source).first():
        plan.campaign, plan.triage_machine, plan.shown_machine = campaign, None, None
        plan.save(force_insert=True)


def _clone_members(source: Campaign, campaign: Campaign, by: User) -> None:
    """Add the members who can sign in, with the same roles, groups and rates."""
    members = source.memberships.filter(user__is_active=True).select_related("user")
    for each in members:
        new = add_member(campaign, each.user, each.role, each.group, by)
        Membership.objects.filter(pk=new.pk).update(hourly_rate=each.hourly_rate)


def delete_campaign(campaign: Campaign, by: User) -> None:
    """Delete a campaign without labels. Raises DeletionRefused.

    The audit log goes with the campaign, so the log of the server has a line. Its files are deleted a day
    later: another campaign may be storing the same content now, and has its row then.
    """
    try:
        with transaction.atomic():
            Campaign.objects.select_for_update().get(pk=campaign.pk)
            if obstacle := deletion_obstacle(campaign):
                raise DeletionRefused(obstacle)
            files = sorted(named_files(campaign))
            for delete_protecting_rows in before_deletion:
                delete_protecting_rows(campaign)
            Campaign.objects.get(pk=campaign.pk).delete()
            delete_unnamed_files.using(run_after=timezone.now() + FILE_DELAY).enqueue(files)
    except (ProtectedError, IntegrityError) as error:  # a label arrived meanwhile
        raise DeletionRefused(DELETION_RACE_MESSAGE) from error
    log.warning("%s deleted the campaign %s (%s)", by.username, campaign.slug, campaign.name)


@task
def delete_unnamed_files(names: list[str]) -> None:
    """Delete those of these stored files that no row names."""
    for name in names:
        rows = (field.model._base_manager.filter(**{field.name: name}) for field in campaign_files())
        if not any(each.exists() for each in rows):
            default_storage.delete(name)

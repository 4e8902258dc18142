"""What a campaign holds, whether it can be deleted, its next step, and what needs a person in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.apps import apps
from django.db.models import Count, FileField
from django.template.defaultfilters import pluralize
from django.urls import reverse

from accounts.models import User
from assess.models import JudgmentEvent, QueueEntry
from assess.queries.adjudication import count_unsettled, unsettled_of
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import deletion_obstacles
from assess.queries.progress import ProgressGrid
from assess.queries.release_states import WIDER, State
from pooling.models import Campaign, Job, Role
from pooling.queries.reads import PoolingReads
from pooling.words import counted

DELETION_RACE_MESSAGE = (
    "Labels arrived in this campaign meanwhile, so it was not deleted. Archive it instead."
)


def deletion_obstacle(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted; "" if it can."""
    labels = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign).count()
    if labels:
        return f"It holds {labels:,} label{pluralize(labels)}, and labels are never deleted."
    for obstacle in deletion_obstacles:
        if why := obstacle(campaign):
            return why
    if campaign.jobs.filter(state__in=Job.UNFINISHED).exists():
        return "A job of it is not finished yet. Wait for the job, or cancel it."
    if campaign.unfinished_loads.exists():
        return (
            "Labels or requests are being stored in it. Wait, or remove what was interrupted: audit --repair."
        )
    return ""


def contents_of(campaign: Campaign) -> list[tuple[str, str]]:
    """Return what is deleted with a campaign: names and numbers."""
    counts = {
        "Topics": campaign.topics.count(),
        "Runs": campaign.runs.count(),
        "Pools": campaign.pools.count(),
        "Documents": campaign.documents.count(),
        "Images": campaign.images.count(),
        "Members' roles": campaign.memberships.count(),
        "Open invitations": campaign.invitations.open().count(),
        "Entries of the audit log": campaign.audit_log.count(),
    }
    return [(name, f"{count:,}") for name, count in counts.items()]


def campaign_files() -> list[FileField]:
    """Return the fields with a stored file of every table that names its campaign, of all applications."""
    return [
        field
        for model in apps.get_models()
        if any(field.related_model is Campaign and field.name == "campaign" for field in model._meta.fields)
        for field in model._meta.fields
        if isinstance(field, FileField)
    ]


def named_files(campaign: Campaign) -> set[str]:
    """Return the names of the stored files of a campaign: of runs, images, jobs and others."""
    rows = (
        field.model._base_manager.filter(campaign=campaign).values_list(field.name, flat=True)
        for field in campaign_files()
    )
    return {name for names in rows for name in names} - {""}


def needs_of(user: User, campaigns: Sequence[Campaign]) -> dict[int, list[str]]:
    """Return campaign -> what needs this person there, in words. campaigns: with `my_roles` set."""
    topics = topics_to_judge(user)
    return {campaign.pk: list(_needs(campaign, topics[campaign.pk])) for campaign in campaigns}


def _needs(campaign: Campaign, topics: int) -> list[str]:
    needs = []
    if Role.JUDGE in campaign.my_roles and topics:
        needs.append(f"{topics:,} topic{pluralize(topics)} to judge")
    if campaign.my_roles & {Role.ORGANISER, Role.ADJUDICATOR} and (cases := count_unsettled(campaign)):
        needs.append(f"{cases:,} case{pluralize(cases)} wait{pluralize(cases, 's,')}")
    if Role.ORGANISER in campaign.my_roles and (count := PoolingReads(campaign).texts.missing):
        needs.append(f"{count:,} document{pluralize(count)} without text")
    return needs


def topics_to_judge(user: User) -> Counter[int]:
    """Return campaign -> number of topics with an open document in this person's queue."""
    entries = QueueEntry.objects.filter(judge=user, state=QueueEntry.State.OPEN)
    return Counter(
        dict(entries.order_by().values_list("topic__campaign").annotate(count=Count("topic", distinct=True)))
    )


class NextStep(NamedTuple):
    """The next thing to do for an organiser. label: a verb with its object. url: the page."""

    label: str
    url: str


def next_step(reads: CampaignReads, grid: ProgressGrid) -> NextStep | None:
    """Return the first step from topics to the public page that needs an organiser, None if none does."""
    campaign = reads.campaign
    before = None if grid.rows else _step_before_pool(campaign)
    if before or (before := _step_of_judging(reads, grid)):
        label, page = before
        return NextStep(label, reverse(page, args=[campaign.slug]))
    if grid.left:
        return None
    if (release := reads.latest_release) is None:
        return NextStep("Release qrels", reverse("assess:release_list", args=[campaign.slug]))
    if release.is_public:
        return NextStep("Open public page", reverse("metrics:public", args=[campaign.slug]))
    state = WIDER[State(release.state)][0]
    verb = "Share" if state == State.SHARED else "Publish"
    page = reverse("assess:release_audience", args=[campaign.slug, release.number, state])
    return NextStep(f"{verb} qrels v{release.number}", page)


def _step_before_pool(campaign: Campaign) -> tuple[str, str]:
    """Return the label and the page of the next step of a campaign without pooled documents."""
    if not campaign.topics.exists():
        return "Load topics", "pooling:topic_list"
    if not campaign.runs.active().exists():
        return "Load runs", "pooling:run_list"
    return "Freeze a pool", "pooling:pool"


def _step_of_judging(reads: CampaignReads, grid: ProgressGrid) -> tuple[str, str] | None:
    if grid.unassigned and not reads.invited_judges.topics.issuperset(grid.unassigned_topics):
        return "Assign topics", "assess:judging"
    if grid.left and (missing := reads.texts.missing):
        return f"Load {counted(missing, 'missing text')}", "pooling:document_list"
    if cases := unsettled_of(reads):
        return f"Settle {counted(cases, 'case')}", "assess:adjudication"
    return None

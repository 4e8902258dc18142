"""The weekly digest of an organiser: what happened in each campaign, and what needs the organiser."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.urls import reverse

from accounts.mail import MailKind, mailable, subject_and_text
from accounts.models import User
from assess.models import JudgmentEvent
from assess.queries.adjudication import count_unsettled
from assess.queries.campaign_reads import CampaignReads
from assess.queries.forecast import idle_judges_in
from assess.queries.progress import progress_grid
from assess.queries.sources import of_people
from pooling.models import Campaign, Membership, Role

WEEK = timedelta(days=7)
REPORTED_STATES = (Campaign.State.OPEN, Campaign.State.CLOSED)


class CampaignDigest(NamedTuple):
    """One campaign in a digest.

    labels (of people), runs: of the last week. left: labels that remain. idle: sentences.
    """

    campaign: Campaign
    link: str
    labels: int
    runs: int
    left: int
    cases: int
    without_text: int
    idle: list[str]


def campaign_digest(campaign: Campaign, now: datetime, site: str) -> CampaignDigest:
    reads, since = CampaignReads(campaign), now - WEEK
    grid = progress_grid(reads)
    events = JudgmentEvent.objects.filter(of_people(), pooled__pool__campaign=campaign, at__gt=since)
    return CampaignDigest(
        campaign,
        site + campaign.get_absolute_url(),
        events.count(),
        campaign.runs.filter(submitted_at__gt=since).count(),
        grid.left,
        count_unsettled(campaign),
        reads.texts.missing,
        [idle.sentence for idle in idle_judges_in(grid, now)],
    )


def digests(now: datetime, site: str) -> Iterable[tuple[User, str, str]]:
    """Yield (organiser, subject, text) for every organiser who wants a digest, over all their campaigns."""
    organisers = _campaigns_of_organisers()
    every = {campaign for campaigns in organisers.values() for campaign in campaigns}
    parts = {campaign: campaign_digest(campaign, now, site) for campaign in every}
    for user, campaigns in organisers.items():
        own = [parts[campaign] for campaign in campaigns]
        context = {"user": user, "parts": own, "link": site + reverse("pooling:campaign_list")}
        yield user, *subject_and_text("assess/mail_digest.txt", context)


def _campaigns_of_organisers() -> dict[User, list[Campaign]]:
    rows = Membership.objects.filter(role=Role.ORGANISER, campaign__state__in=REPORTED_STATES)
    found: dict[User, list[Campaign]] = {}
    for membership in rows.select_related("user", "campaign").order_by("user__username", "campaign__name"):
        found.setdefault(membership.user, []).append(membership.campaign)
    wanted = set(mailable(found, MailKind.DIGEST))
    return {user: campaigns for user, campaigns in found.items() if user in wanted}

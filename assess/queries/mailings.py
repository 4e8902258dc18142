"""Mails and digests about a campaign, as texts: who gets each of them, and who does not and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse

from accounts.mail import MailKind, is_mailable, mailable, subject_and_text
from accounts.models import User
from assess.forecast import IDLE_AFTER
from assess.models import JudgmentEvent, QrelsRelease
from assess.queries.adjudication import count_unsettled
from assess.queries.campaign_reads import CampaignReads
from assess.queries.forecast import idle_judges_by_user, idle_judges_in
from assess.queries.progress import ProgressGrid, progress_grid
from assess.queries.sources import of_people
from pooling.models import Campaign, Membership, Role

WEEK = timedelta(days=7)
REPORTED_STATES = (Campaign.State.OPEN, Campaign.State.CLOSED)


class PersonalMail(NamedTuple):
    """A text for one person. obstacle: why it is not mailed; "" if it is."""

    user: User
    subject: str
    text: str
    obstacle: str


class Mailing(NamedTuple):
    """Mails of one kind about a campaign. verb: of the audit log."""

    kind: MailKind
    verb: str
    mails: list[PersonalMail]

    @property
    def recipients(self) -> list[PersonalMail]:
        return [mail for mail in self.mails if not mail.obstacle]

    @property
    def others(self) -> list[PersonalMail]:
        return [mail for mail in self.mails if mail.obstacle]


def reminders(
    campaign: Campaign, grid: ProgressGrid, now: datetime, site: str, patience: timedelta = IDLE_AFTER
) -> Mailing:
    """Return a reminder for every judge with open documents and no label for `patience`."""
    link = site + reverse("assess:my_topics", args=[campaign.slug])
    mails = []
    for user, idle in idle_judges_by_user(grid, now, patience):
        context = {"campaign": campaign, "user": user, "idle": idle, "link": link}
        mails.append(_mail(user, MailKind.REMINDER, "assess/mail_reminder.txt", context))
    return Mailing(MailKind.REMINDER, "reminded judges", mails)


def news_of_release(release: QrelsRelease, site: str) -> Mailing:
    """Return the news of a shared release, for every participant."""
    campaign = release.campaign
    link = site + reverse("assess:release", args=[campaign.slug, release.number])
    mails = [
        _mail(
            user,
            MailKind.RELEASE,
            "assess/mail_release.txt",
            {"release": release, "user": user, "link": link},
        )
        for user in members_in(campaign, Role.PARTICIPANT)
    ]
    return Mailing(MailKind.RELEASE, "mailed news of a release", mails)


def members_in(campaign: Campaign, role: Role) -> Iterator[User]:
    rows = campaign.memberships.filter(role=role).select_related("user").order_by("user__username")
    return (membership.user for membership in rows)


def _mail(user: User, kind: MailKind, template: str, context: dict[str, object]) -> PersonalMail:
    return PersonalMail(user, *subject_and_text(template, context), _obstacle(user, kind))


def _obstacle(user: User, kind: MailKind) -> str:
    if is_mailable(user, kind):
        return "" if settings.SENDS_MAIL else "this site sends no mail"
    if not (user.is_active and user.can_sign_in):
        return "cannot sign in"
    return "switched this mail off" if user.email else "has no e-mail address"


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
    campaigns_of: dict[User, list[Campaign]] = {}
    for membership in rows.select_related("user", "campaign").order_by("user__username", "campaign__name"):
        campaigns_of.setdefault(membership.user, []).append(membership.campaign)
    wanted = set(mailable(campaigns_of, MailKind.DIGEST))
    return {user: campaigns for user, campaigns in campaigns_of.items() if user in wanted}

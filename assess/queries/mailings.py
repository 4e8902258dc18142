"""Mails about a campaign, as texts: who gets each of them, and who does not and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse

from accounts.mail import MailKind, is_mailable, subject_and_text
from accounts.models import User
from assess.models import QrelsRelease
from assess.queries.forecast import idle_judges_by_user
from assess.queries.progress import ProgressGrid
from pooling.models import Campaign, Role


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


def reminders(campaign: Campaign, grid: ProgressGrid, now: datetime, site: str) -> Mailing:
    """Return a reminder for every idle judge."""
    link = site + reverse("assess:my_topics", args=[campaign.slug])
    mails = []
    for user, idle in idle_judges_by_user(grid, now):
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

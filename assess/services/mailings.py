"""Send mails about a campaign through the worker, and write that into the audit log."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from accounts.tasks import enqueue_after_commit, mail_to
from assess import tasks
from assess.models import QrelsRelease
from assess.queries.mailings import Mailing, news_of_release
from pooling.models import AuditLogEntry, Campaign, Invitation
from pooling.refusals import Refused
from pooling.services.audit_log import log_change

INTERNAL_MESSAGE = "Participants cannot open {} yet. Share the release with them first."


class MailRefused(Refused):
    """Mails that cannot be sent; says why."""


@transaction.atomic
def send_mailing(campaign: Campaign, mailing: Mailing, by: User | None, site: str, key: str = "") -> int:
    """Enqueue the mails of those who get one; return how many. Raises MailRefused if there is none.

    site: the address of the site, for the links that switch a mail off. key: see `make_once`.
    """
    if not mailing.recipients:
        raise MailRefused("Nobody can be mailed: this site sends no mail, or no person wants or can get it.")
    names = [mail.user.username for mail in mailing.recipients]

    def send() -> AuditLogEntry:
        for mail in mailing.recipients:
            mail_to([mail.user], mailing.kind, mail.subject, mail.text, site)
        return log_change(campaign, by, mailing.verb, ", ".join(names), users=names)

    make_once(by, key, AuditLogEntry, send)
    return len(names)


def mail_invitation(invitation: Invitation, site: str) -> None:
    """Mail a new link to the address of an invitation; earlier links work no more then."""
    enqueue_after_commit(tasks.mail_invitation, invitation.pk, site)


def mail_release_shared(release: QrelsRelease, by: User | None, site: str, key: str = "") -> int:
    """Mail the news of a shared release to the participants; return how many. Raises MailRefused.

    key: see `make_once`.
    """
    if not is_announced(release):
        raise MailRefused(INTERNAL_MESSAGE.format(release))
    return send_mailing(release.campaign, news_of_release(release, site), by, site, key)


def is_announced(release: QrelsRelease) -> bool:
    """Whether participants may know of a release: it is shared or public, and not withdrawn."""
    return release.state != QrelsRelease.State.INTERNAL and release.withdrawn_at is None

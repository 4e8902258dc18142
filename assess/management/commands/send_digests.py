from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.mail import MailKind
from accounts.tasks import mail_to
from assess.queries.mailings import digests


class Command(BaseCommand):
    help = (
        "Mail every organiser a digest of the last seven days of their open and closed campaigns."
        " Run it once a week from cron; the worker sends the mails."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--site", default=settings.SITE, help="address in the links, such as https://pool.example.org"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        site = options["site"].rstrip("/")
        if not settings.SENDS_MAIL:
            raise CommandError("This site sends no mail. Set EMAIL_URL to a mail server.")
        if not site:
            raise CommandError(
                "The links in the mails need the address of the site: JURYPOOL_SITE or --site."
            )
        count = 0
        for user, subject, text in digests(timezone.now(), site):
            mail_to([user], MailKind.DIGEST, subject, text, site)
            count += 1
        self.stdout.write(f"{count:,} digest{'' if count == 1 else 's'} will be mailed.")

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from pooling.services.first_organiser import LIFETIME, create_link


class Command(BaseCommand):
    help = "Print a link by which the first account of a new installation is created in the browser."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--site", default=settings.SITE, help="put before the link, such as https://pool.example.org"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if User.objects.exists():
            raise CommandError("An account exists already. For a further administrator: createsuperuser")
        self.stdout.write(create_link(options["site"]))
        self.stderr.write(f"It works once, for {LIFETIME.total_seconds() // 3600:.0f} hours.")

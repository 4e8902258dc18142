from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import User


class Command(BaseCommand):
    help = "Print a link by which a person chooses a new password. It works once; nothing changes until then."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="sign-in name")
        parser.add_argument(
            "--site", default=settings.SITE, help="put before the link, such as https://pool.example.org"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["name"], is_active=True).first()
        if person is None:
            raise CommandError(f"There is no active user {options['name']}.")
        key = urlsafe_base64_encode(force_bytes(person.pk))
        url = reverse("accounts:password_new", args=[key, default_token_generator.make_token(person)])
        self.stdout.write(options["site"].rstrip("/") + url)
        self.stderr.write(f"It works once, for {settings.PASSWORD_RESET_TIMEOUT // 3600} hours.")

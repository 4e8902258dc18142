from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from pooling.refusals import Refused
from pooling.services.people import anonymise_account


class Command(BaseCommand):
    help = (
        "Replace the name of a person by a number, and delete the e-mail address and every way to sign in. "
        "This cannot be undone. Labels stay, and so does the sign-in name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="sign-in name")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["name"]).first()
        if person is None:
            raise CommandError(f"There is no user {options['name']}.")
        try:
            anonymise_account(person)
        except Refused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{person.username} is {person} now and can no longer sign in.")

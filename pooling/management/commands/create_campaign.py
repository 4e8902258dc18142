from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from accounts.models import User
from pooling.scale import PRESETS, BadScale, parse_scale
from pooling.services.people import ShortNameTaken, create_campaign


class Command(BaseCommand):
    help = "Create a campaign."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--organiser", required=True, metavar="NAME", help="sign-in name")
        parser.add_argument("--slug", default="", help="short name in URLs; made from the name if left out")
        parser.add_argument(
            "--scale",
            default="four",
            help=f"one of {', '.join(PRESETS)}, or grades, one a line: "
            "'value | name | definition | gain | example'",
        )
        parser.add_argument(
            "--threshold", type=int, default=1, help="the lowest grade that counts as relevant"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        organiser = User.objects.filter(username=options["organiser"]).first()
        if organiser is None:
            raise CommandError(f"There is no user {options['organiser']}.")
        slug = options["slug"] or slugify(options["name"])
        try:
            grades = PRESETS.get(options["scale"]) or parse_scale(options["scale"])
            create_campaign(organiser, options["name"], slug, grades, options["threshold"])
        except (BadScale, ShortNameTaken) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Campaign {slug} created.")

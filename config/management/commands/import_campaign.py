from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.archives.campaigns import import_campaign, read_people_map
from pooling.refusals import Refused


class Command(BaseCommand):
    help = (
        "Add a campaign that `export_campaign` wrote on another server, if an audit of it finds no fault."
        " Jobs stay where they are. People are told by"
        " their sign-in names: see that the same name is the same person, or say who is who with --users."
        " A person without an account here gets one without a password. On SQLite no one else can write, for"
        " some 20 seconds of 75,000 labels: labels that judges give then wait in their browsers."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--users", type=Path, metavar="CSV", help="columns there,here: sign-in names")
        parser.add_argument("--slug", default="", help="another short name for it here")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            people = read_people_map(options["users"]) if options["users"] else {}
            campaign, accounts, checked_counts = import_campaign(options["file"], people, options["slug"])
        except (Refused, OSError) as error:
            raise CommandError(str(error)) from error
        for name_there, (name_here, new) in accounts.items():
            self.stdout.write(f"{name_there} is {name_here}{', who is new here' if new else ''}")
        counts = ", ".join(f"{count:,} {name}" for name, count in checked_counts.items())
        self.stdout.write(f"{campaign.slug}: {counts}; no faults")

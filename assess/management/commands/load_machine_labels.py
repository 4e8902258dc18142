from __future__ import annotations

from datetime import date
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.forms.imports import parse_grades
from assess.services.machines import Machine, load_machine_labels
from pooling.checksum import sha256_of
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Load a qrels file that a program wrote as the labels of a named machine judge."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--judge", required=True, metavar="NAME")
        parser.add_argument("--model", required=True, help="with its version, as its maker writes it")
        parser.add_argument(
            "--prompt", required=True, metavar="FILE", help="its SHA-256 is kept, not its text"
        )
        parser.add_argument("--made-on", required=True, type=date.fromisoformat, metavar="YYYY-MM-DD")
        parser.add_argument("--note", default="")
        parser.add_argument(
            "--grades",
            default="",
            help="theirs=ours where they differ, as '5=3'; negative ones: cannot judge, unless named",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        prompt, _ = read(options["prompt"])
        machine = Machine(
            options["judge"], options["model"], sha256_of(prompt), options["made_on"], options["note"]
        )
        loaded = load_machine_labels(campaign, user, content, name, machine, parse_grades(options["grades"]))
        self.say(
            f"{loaded.user.judgments.count():,} labels of {loaded.user.username}; "
            f"{loaded.left_out:,} left out, their documents are in no pool."
        )

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.forms.imports import parse_grades
from assess.services.imports import load_judgments
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Load a qrels file (TREC, BEIR, NTCIR) as the labels of a named judge who cannot sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--judge", required=True, metavar="NAME")
        parser.add_argument(
            "--grades",
            default="",
            help="theirs=ours where they differ, as '5=3'; negative ones: cannot judge, unless named",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        loaded = load_judgments(
            campaign, user, content, name, options["judge"], parse_grades(options["grades"])
        )
        self.say(
            f"{loaded.labels:,} judgments of {loaded.judge}; {loaded.newly_pooled:,} were in no pool before."
        )

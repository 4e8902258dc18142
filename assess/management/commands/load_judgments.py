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
        parser.add_argument("file", help="qrels file, may be compressed")
        parser.add_argument("--judge", required=True, metavar="NAME", help="name of the new judge")
        parser.add_argument(
            "--grades",
            default="",
            help="FILE_GRADE=GRADE pairs, such as '5=3 -1=0'; other negative grades mean cannot judge",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        loaded = load_judgments(
            campaign, user, content, name, options["judge"], parse_grades(options["grades"])
        )
        self.write(
            f"Loaded {loaded.labels:,} judgments of {loaded.judge}; "
            f"{loaded.newly_pooled:,} documents were in no pool before."
        )

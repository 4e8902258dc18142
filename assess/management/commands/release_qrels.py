from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.services import release_qrels
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Freeze the agreed grades as the next numbered release."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--output", metavar="FILE", help="also write the qrels here")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        release = release_qrels(campaign, user)
        if options["output"]:
            with release.file.open("rb") as file, open(options["output"], "wb") as copy:
                copy.write(file.read())
        self.say(f"{release}: {release.line_count:,} judgments, sha256 {release.sha256}")

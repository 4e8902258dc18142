from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign
from pooling.services import freeze_pool


class Command(CampaignCommand):
    help = "Build a depth-k pool from the campaign's runs and freeze it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--depth", type=int, required=True, metavar="K")
        parser.add_argument("--runs", nargs="+", metavar="TAG", help="default: every run")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        runs = campaign.runs.filter(tag__in=options["runs"]) if options["runs"] else campaign.runs.all()
        pool = freeze_pool(campaign, user, list(runs), options["depth"])
        self.say(f"{pool} frozen: {pool.manifest['documents']:,} documents, sha256 {pool.manifest['sha256']}")

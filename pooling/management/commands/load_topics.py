from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign
from pooling.services.topics import load_topics


class Command(CampaignCommand):
    help = "Load topics: TREC <top>, TREC-COVID XML, TSV, JSON Lines or SMART; plain or compressed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        self.write(f"{load_topics(campaign, *read(options['file']), user)} topics loaded.")

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.models import Probe
from assess.services.gold import load_gold
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Load training or gold documents with known grades, one per line: topic docno grade [reason]."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="file with one document per line")
        parser.add_argument(
            "--kind", choices=Probe.Kind.values, default=Probe.Kind.TRAINING, help="default: %(default)s"
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        loaded = load_gold(campaign, user, options["kind"], content, name)
        self.write(
            f"Loaded {loaded.loaded:,} {options['kind']} documents;"
            f" {loaded.new_documents:,} were in no pool before,"
            f" {loaded.from_pools:,} were in a pool and no longer count in the qrels."
        )

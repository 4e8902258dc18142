from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.models import Probe
from assess.services.probe_sets import load_probes
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Load documents with known grades, lines of `topic docno grade [why]`, for training or as gold."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--kind", choices=Probe.Kind.values, default=Probe.Kind.TRAINING)

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        loaded = load_probes(campaign, user, options["kind"], content, name)
        self.say(
            f"{loaded.loaded:,} probes loaded; {loaded.new_documents:,} were in no pool before,"
            f" {loaded.from_pools:,} were pooled and count no more."
        )

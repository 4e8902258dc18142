from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign
from pooling.queries import docnos_without_text
from pooling.services import import_documents


class Command(CampaignCommand):
    help = "Load documents: JSON Lines, TSV, TREC SGML or SMART; plain or compressed. Keeps the pooled ones."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--all", action="store_true", help="keep every document, pooled or not")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        done = import_documents(campaign, content, name, pooled_only=not options["all"])
        missing = len(docnos_without_text(campaign))
        self.say(f"{done.read:,} documents read, {done.kept:,} kept; {missing:,} pooled ones have no text.")

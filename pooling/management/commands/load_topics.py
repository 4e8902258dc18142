from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from pooling.intake.fields import TOPICS
from pooling.intake.options import add_map_option, reading_of
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign
from pooling.services.topics import load_topics
from pooling.words import counted


class Command(CampaignCommand):
    help = (
        "Load topics: SGML or XML of TREC, CLEF and NTCIR, TSV, CSV, JSON, JSON Lines or SMART;"
        " plain or compressed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        add_map_option(parser, TOPICS)

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        reading = reading_of(TOPICS, options["map"])
        loaded = load_topics(campaign, *read(options["file"]), user, reading=reading)
        notes = "".join(f"; {note}" for note in loaded.notes)
        self.write(f"{counted(len(loaded.topics), 'topic')} loaded{notes}.")

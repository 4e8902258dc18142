from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from assess.queries.release_states import State, audience_sentence
from assess.services.audiences import change_audience
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Show a release to other people: internal, shared with participants and readers, or public."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("number", type=int, help="number of the release")
        parser.add_argument("state", choices=State.values, help="who sees it")
        parser.add_argument("--reason", default="", help="for a step back, such as from public to shared")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        release = campaign.releases.filter(number=options["number"]).first()
        if release is None:
            raise CommandError(f"There is no release {options['number']} of {campaign.slug}.")
        change_audience(release, options["state"], user, options["reason"])
        self.write(audience_sentence(release, options["state"]))

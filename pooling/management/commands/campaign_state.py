from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from pooling.campaign_states import MEANINGS
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign
from pooling.services.campaign_states import change_state


class Command(CampaignCommand):
    help = "Open, close or archive a campaign. An archived campaign is restored by closing it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        states = [state for state in Campaign.State.values if state != Campaign.State.DRAFT]
        parser.add_argument("state", choices=states)

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        change_state(campaign, options["state"], user)
        self.write(f"Campaign {campaign.slug} is {campaign.state}. {MEANINGS[campaign.state]}")

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse

from accounts.models import User
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign, Role
from pooling.services.people import invite


class Command(CampaignCommand):
    help = "Make a link that brings one new person in. It works once, for 14 days, and is shown only now."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--role", choices=Role.values, default=Role.JUDGE)
        parser.add_argument("--group", default="", help="for participants: whose runs are theirs")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        self.say(
            reverse("assess:invitation", args=[invite(campaign, options["role"], options["group"], user)])
        )

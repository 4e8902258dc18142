from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse

from accounts.models import User
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign, Role
from pooling.services.people import invite


class Command(CampaignCommand):
    help = (
        "Create an invitation link for one person. It can be used once within 14 days and is shown only now."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--role", choices=Role.values, default=Role.JUDGE, help="role of the person; default: %(default)s"
        )
        parser.add_argument(
            "--group", default="", help="group of a participant, who sees the runs of that group"
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        token = invite(campaign, options["role"], options["group"], user)
        self.write(reverse("assess:invitation", args=[token]))

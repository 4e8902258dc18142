from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign, Role
from pooling.services.people import add_member


class Command(CampaignCommand):
    help = "Give a person who has an account a role in the campaign."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="sign-in name")
        parser.add_argument("--role", choices=Role.values, default=Role.JUDGE)
        parser.add_argument("--group", default="", help="for participants: whose runs are theirs")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        person = User.objects.filter(username=options["name"], is_active=True).first()
        if person is None:
            raise CommandError(
                f"There is no active user {options['name']}; `invite` creates a link for a new person."
            )
        self.write(f"{add_member(campaign, person, options['role'], options['group'], user)} of {campaign}.")

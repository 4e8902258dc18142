from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from assess.services import assign
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign, Role


class Command(CampaignCommand):
    help = "Give topics to judges."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--judges", nargs="+", metavar="NAME", help="default: every judge of the campaign"
        )
        parser.add_argument("--topics", nargs="+", metavar="NUMBER", help="default: every topic with a pool")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        judges = User.objects.filter(
            memberships__campaign=campaign, memberships__role=Role.JUDGE, is_active=True
        )
        topics = campaign.topics.all()
        if options["judges"]:
            judges = judges.filter(username__in=options["judges"])
            _all_found(options["judges"], judges.values_list("username", flat=True), "judge of this campaign")
        if options["topics"]:
            topics = topics.filter(number__in=options["topics"])
            _all_found(options["topics"], topics.values_list("number", flat=True), "topic")
        self.say(f"{assign(judges, topics)} new assignments.")


def _all_found(wanted: list[str], found: Any, kind: str) -> None:
    if missing := sorted(set(wanted) - set(found)):
        raise CommandError(f"There is no {kind} {missing[0]}.")

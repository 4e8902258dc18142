from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from accounts.models import User
from assess.forms.assignments import PARTS
from assess.models import Assignment
from assess.services.assignments import assign, share_out
from assess.services.invitations import invite_to_topics
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign, Role

MEANINGS = "; ".join(f"{part.value}: {meaning}" for part, meaning in PARTS.items())


class Command(CampaignCommand):
    help = "Give topics to judges, deal them out, or make a link that brings in a judge with topics."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--judges", nargs="+", metavar="NAME", help="default: every judge of the campaign"
        )
        parser.add_argument("--topics", nargs="+", metavar="NUMBER", help="default: every topic with a pool")
        parser.add_argument(
            "--part", choices=Assignment.Part.values, default=Assignment.Part.PRIMARY, help=MEANINGS
        )
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--share-out", action="store_true", help="deal: each topic to one primary judge")
        way.add_argument(
            "--invite", action="store_true", help="print a link for one new judge of these topics"
        )
        parser.add_argument(
            "--seconds", type=int, default=0, metavar="N", help="second judges a topic, when dealing"
        )

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
        if options["invite"]:
            self.say(
                reverse(
                    "assess:invitation", args=[invite_to_topics(campaign, topics, options["part"], by=user)]
                )
            )
        elif options["share_out"]:
            dealt = share_out(judges.order_by("username"), topics, options["seconds"], by=user)
            self.say(f"{dealt} new assignments.")
        else:
            self.say(f"{assign(judges, topics, options['part'], by=user)} new assignments.")


def _all_found(wanted: list[str], found: Any, kind: str) -> None:
    if missing := sorted(set(wanted) - set(found)):
        raise CommandError(f"There is no {kind} {missing[0]}.")

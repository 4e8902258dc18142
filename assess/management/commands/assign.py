from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from accounts.models import User
from assess.forms.assignments import PARTS
from assess.models import Assignment
from assess.services.assignments import assign, distribute_topics
from assess.services.people import invite_to_topics
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign, Role

MEANINGS = "; ".join(f"{part.value}: {meaning}" for part, meaning in PARTS.items())


class Command(CampaignCommand):
    help = "Assign topics to judges, distribute topics evenly, or create an invitation link with topics."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--judges",
            nargs="+",
            metavar="NAME",
            help="judges who get the topics; default: every judge of the campaign",
        )
        parser.add_argument(
            "--topics", nargs="+", metavar="NUMBER", help="topics to assign; default: every topic with a pool"
        )
        parser.add_argument(
            "--part", choices=[part.value for part in PARTS], default=Assignment.Part.PRIMARY, help=MEANINGS
        )
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument(
            "--share-out", action="store_true", help="distribute evenly: each topic to one primary judge"
        )
        mode.add_argument(
            "--invite", action="store_true", help="print an invitation link for one new judge of these topics"
        )
        parser.add_argument(
            "--seconds",
            type=int,
            default=0,
            metavar="N",
            help="number of second judges per topic, with --share-out",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        judges = User.objects.filter(
            memberships__campaign=campaign, memberships__role=Role.JUDGE, is_active=True
        )
        topics = campaign.topics.all()
        if options["judges"]:
            judges = judges.filter(username__in=options["judges"])
            _require_all(
                options["judges"], judges.values_list("username", flat=True), "judge of this campaign"
            )
        if options["topics"]:
            topics = topics.filter(number__in=options["topics"])
            _require_all(options["topics"], topics.values_list("number", flat=True), "topic")
        if options["invite"]:
            token = invite_to_topics(campaign, topics, options["part"], by=user)
            self.write(reverse("assess:invitation", args=[token]))
        elif options["share_out"]:
            count = distribute_topics(judges.order_by("username"), topics, options["seconds"], by=user)
            self.write(f"{count} new assignments.")
        else:
            count = assign(judges, topics, options["part"], by=user)
            self.write(f"{count} new assignments.")


def _require_all(names: list[str], existing: Iterable[str], kind: str) -> None:
    """Raise CommandError if one of the names does not exist."""
    if missing := sorted(set(names) - set(existing)):
        raise CommandError(f"There is no {kind} {missing[0]}.")

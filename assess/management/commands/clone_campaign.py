from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.core.validators import validate_slug

from accounts.models import User
from assess.services.campaigns import CLONED_PARTS, DEFAULT_PARTS, clone_campaign
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign
from pooling.words import counted


class Command(CampaignCommand):
    help = "Create a draft with the scale, guidelines, rules, topics and judging plan of a campaign."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the new campaign")
        parser.add_argument("--name", default="", help="name of the new campaign; default: the same name")
        parser.add_argument(
            "--parts",
            nargs="*",
            choices=CLONED_PARTS,
            default=DEFAULT_PARTS,
            help=f"what is cloned; default: {' '.join(DEFAULT_PARTS)}",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        slug = options["slug"]
        try:
            validate_slug(slug)
        except ValidationError as error:
            raise CommandError(f"Expected a short name of letters, digits, - and _, found {slug}.") from error
        clone = clone_campaign(campaign, user, options["name"] or campaign.name, slug, options["parts"])
        self.write(
            f"Campaign {clone.slug} created as a draft, with {counted(clone.topics.count(), 'topic')}."
        )

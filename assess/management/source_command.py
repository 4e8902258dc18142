"""The base class of commands on one source of labels."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from assess.models import Source
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign


class SourceCommand(CampaignCommand):
    """A command on the labels of one judge, named after the campaign. Subclasses write `change`."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("judge", help="name of the judge, such as olga, or boats/NIST for a file")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        sources = campaign.sources.select_related("user")
        source = sources.filter(user__username=options["judge"]).first()
        if source is None:
            known = ", ".join(each.user.username for each in sources) or "none"
            raise CommandError(f"expected a judge with labels ({known}), found {options['judge']}")
        self.change(source, user, options)

    def change(self, source: Source, user: User, options: dict[str, Any]) -> None:
        raise NotImplementedError

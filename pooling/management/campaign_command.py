"""The base class of commands on one campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from pooling.models import Campaign, Role
from pooling.refusals import Refused


class CampaignCommand(BaseCommand):
    """A command on one campaign, named first by its short name. Subclasses write `run`.

    A refusal by a service (of a file, say) ends the command with its message.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument(
            "--as", dest="user", metavar="NAME", help="who acts; default: the first organiser"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']}.")
        try:
            self.run(campaign, self._user(campaign, options["user"]), options)
        except (Refused, OSError) as error:
            raise CommandError(str(error)) from error

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        raise NotImplementedError

    def write(self, text: str) -> None:
        self.stdout.write(text)

    def _user(self, campaign: Campaign, name: str | None) -> User:
        if name:
            if user := User.objects.filter(username=name).first():
                return user
            raise CommandError(f"There is no user {name}.")
        return campaign.memberships.filter(role=Role.ORGANISER).select_related("user").order_by("pk")[0].user


def read(path: str) -> tuple[bytes, str]:
    """Return a file's bytes and its name."""
    return Path(path).read_bytes(), Path(path).name

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from assess.queries.releases import release_difference
from assess.release.diff import difference_lines
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Print the differences between two releases as TSV: topic, docno, grade before, grade after."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("first", type=int, help="number of the earlier release")
        parser.add_argument("second", type=int, help="number of the later release")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        releases = {release.number: release for release in campaign.releases.all()}
        for number in (options["first"], options["second"]):
            if number not in releases:
                raise CommandError(f"There is no release {number}.")
        changes = release_difference(releases[options["first"]], releases[options["second"]]).changes
        self.stdout.write("".join(difference_lines(changes)), ending="")

from __future__ import annotations

import csv
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from metrics.queries import leaderboard
from metrics.services import score_release
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign, Role


class Command(CampaignCommand):
    help = "Score every run against a release; print one line a run, as CSV."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--release", type=int, metavar="N", help="default: the newest")
        parser.add_argument("--digits", type=int, default=4)

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        releases = campaign.releases.all()
        release = (
            releases.filter(number=options["release"]).first() if options["release"] else releases.first()
        )
        if release is None:
            raise CommandError("There is no such release of qrels.")
        score_release(release)
        campaign.my_roles = frozenset({Role.ORGANISER})
        board = leaderboard(release, user, campaign)
        rows = csv.writer(self.stdout, lineterminator="\n")
        rows.writerow(["run", *board.measures])
        for line in board.lines:
            rows.writerow([line.run.tag, *(f"{cell.value:.{options['digits']}f}" for cell in line.cells)])

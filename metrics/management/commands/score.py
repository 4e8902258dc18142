from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from assess.queries.release_plans import latest_release
from metrics.leaderboard import UNJUDGED, LeaderboardState
from metrics.measures.base import BadMeasure, UnknownMeasure
from metrics.measures.names import parse_measure, parse_measures, usual_measures
from metrics.queries.leaderboard import leaderboard
from metrics.queries.scores import measure_for, score_table
from metrics.services import score_release
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign
from pooling.spreadsheet import Table


class Command(CampaignCommand):
    help = "Score every run against a release and print one line of CSV per run that is not hidden."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--release",
            type=int,
            metavar="N",
            help="release number (default: the latest that is not withdrawn)",
        )
        parser.add_argument(
            "--measures", metavar="NAMES", help='such as "nDCG@10 AP(rel=2)" (default: the usual measures)'
        )
        parser.add_argument("--digits", type=int, default=4, help="decimals of each score (default: 4)")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        if options["release"]:
            release = campaign.releases.filter(number=options["release"]).first()
        else:
            release = latest_release(campaign)
        if release is None:
            raise CommandError("There is no such release of qrels.")
        try:
            requested = parse_measures(options["measures"] or "") or usual_measures(len(campaign.scale))
            measures = [*(measure_for(release, measure) for measure in requested), parse_measure(UNJUDGED)]
            score_release(release, measures)
        except (BadMeasure, UnknownMeasure) as error:
            raise CommandError(str(error)) from error
        names = tuple(measure.name for measure in measures if measure.name != UNJUDGED)
        runs = list(campaign.runs.ranked().order_by("tag"))
        board = leaderboard(score_table(release, runs, measures), LeaderboardState.by_first(names))
        rows = Table(self.stdout, lineterminator="\n")
        rows.writerow(["run", *board.measures])
        for line in board.lines:
            rows.writerow([line.run.tag, *(f"{cell.value:.{options['digits']}f}" for cell in line.cells)])

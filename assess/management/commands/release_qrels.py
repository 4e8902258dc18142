from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.consensus import ADJUDICATED, RULES
from assess.models import ReleaseFile
from assess.queries.releases import default_plan
from assess.release_formats.kinds import QRELS, kind_of
from assess.release_plan import CANNOT_JUDGE_OPTIONS, LEAVE_OUT, ReleasePlan, plan_from_json
from assess.services.releases import release_qrels
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Freeze the agreed grades as the next numbered release."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--rule",
            choices=list(RULES),
            metavar="NAME",
            help=f"{'; '.join(RULES)}. Default: as the last release; {ADJUDICATED!r} once a case is settled",
        )
        parser.add_argument(
            "--judge",
            default="",
            metavar="NAME",
            help="whom the rule 'one judge' follows; a judge that load_judgments made is CAMPAIGN/NAME",
        )
        parser.add_argument("--topics", nargs="+", default=[], metavar="NUMBER", help="default: all")
        parser.add_argument("--judges", nargs="+", default=[], metavar="NAME", help="default: all people")
        parser.add_argument("--machines", nargs="+", default=[], metavar="NAME", help="default: none")
        parser.add_argument(
            "--pools", nargs="+", default=[], type=int, metavar="NUMBER", help="one a round; default: all"
        )
        parser.add_argument(
            "--cannot",
            default=LEAVE_OUT,
            choices=list(CANNOT_JUDGE_OPTIONS),
            help="a document that nobody could judge",
        )
        parser.add_argument("--threshold", type=int, help="relevant from this grade; default: the campaign's")
        parser.add_argument("--output", metavar="FILE", help="also write the qrels here")
        parser.add_argument("--folder", metavar="FOLDER", help="also write every file of the release here")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        stated = {field.name: options[field.name] for field in fields(ReleasePlan)}
        if stated["rule"] is None:
            default = default_plan(campaign)
            stated |= {"rule": default.rule, "judge": stated["judge"] or default.judge}
        release = release_qrels(campaign, user, plan_from_json(stated))
        if options["output"]:
            copy(release.files.get(kind=QRELS), Path(options["output"]))
        if options["folder"]:
            for stored in release.files.all():
                name = f"{campaign.slug}-{stored.kind}-v{release.number}{kind_of(stored.kind).suffix}"
                copy(stored, Path(options["folder"]) / name)
        self.say(f"{release}: {release.line_count:,} judgments, sha256 {release.sha256}")


def copy(stored: ReleaseFile, path: Path) -> None:
    with stored.file.open("rb") as file, path.open("wb") as out:
        copyfileobj(file, out)

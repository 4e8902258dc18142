from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.consensus import ADJUDICATED, RULES
from assess.models import ReleaseFile
from assess.queries.campaign_reads import CampaignReads
from assess.release.formats import QRELS, kind_of
from assess.release.plan import (
    AS_JUDGES,
    CANNOT_JUDGE_OPTIONS,
    LEAVE_OUT,
    MACHINE_USES,
    ReleasePlan,
    plan_from_json,
    plan_to_json,
)
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
            help=f"{'; '.join(RULES)}. Default: the rule of the last release,"
            f" or {ADJUDICATED!r} once a case is settled",
        )
        parser.add_argument(
            "--judge",
            metavar="NAME",
            help="judge for the rule 'one judge'; a judge created by load_judgments is CAMPAIGN/NAME",
        )
        parser.add_argument("--topics", nargs="+", metavar="NUMBER", help="topics to include; default: all")
        parser.add_argument(
            "--judges",
            nargs="+",
            metavar="NAME",
            help="judges to include; default: as in the last release, before it all people",
        )
        parser.add_argument(
            "--machines",
            nargs="+",
            metavar="NAME",
            help="machine judges to include; default: as in the last release, before it none",
        )
        parser.add_argument(
            "--machine-use",
            choices=list(MACHINE_USES),
            help="use of the labels of these machine judges; default: as in the last release, before it"
            f" {AS_JUDGES!r}",
        )
        parser.add_argument(
            "--pools",
            nargs="+",
            type=int,
            metavar="NUMBER",
            help="pools to include; default: all",
        )
        parser.add_argument(
            "--cannot",
            choices=list(CANNOT_JUDGE_OPTIONS),
            help="treatment of documents that no included judge could judge; default: as in the last release,"
            f" before it {LEAVE_OUT!r}",
        )
        parser.add_argument(
            "--threshold",
            type=int,
            help="lowest relevant grade; default: as in the last release, before it that of the campaign",
        )
        parser.add_argument(
            "--propagated",
            action="store_true",
            help="add files with the propagated labels of near duplicates that were not judged",
        )
        parser.add_argument("--output", metavar="FILE", help="also write the qrels to this file")
        parser.add_argument(
            "--folder", metavar="FOLDER", help="also write every file of the release to this folder"
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        release = release_qrels(campaign, user, plan_from_options(campaign, options))
        if options["output"]:
            copy(release.files.get(kind=QRELS), Path(options["output"]))
        if options["folder"]:
            for stored in release.files.all():
                name = f"{campaign.slug}-{stored.kind}-v{release.number}{kind_of(stored.kind).suffix}"
                copy(stored, Path(options["folder"]) / name)
        self.write(f"{release}: {release.line_count:,} judgments, sha256 {release.sha256}")


def plan_from_options(campaign: Campaign, options: dict[str, Any]) -> ReleasePlan:
    """Return the default plan with the options that are given. Raises BadPlan."""
    default = CampaignReads(campaign).release_plan
    names = [field.name for field in fields(ReleasePlan)]
    given = {name: options[name] for name in names if options[name] is not None}
    if given.get("rule", default.rule) != default.rule:
        given.setdefault("judge", "")
    return plan_from_json(plan_to_json(default) | given)


def copy(stored: ReleaseFile, path: Path) -> None:
    with stored.file.open("rb") as file, path.open("wb") as out:
        copyfileobj(file, out)

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from pooling.formats.files import BadFile
from pooling.formats.run_checks import tag_from_name
from pooling.intake.fields import RUN, parse_choices
from pooling.intake.options import add_map_option
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign, Run
from pooling.services.runs import Submission, submit_run
from pooling.words import counted


class Command(CampaignCommand):
    help = "Submit run files; each is stored or refused by itself. A docno has at most 200 bytes."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("files", nargs="+")
        parser.add_argument(
            "--group", default="", help="the group that submits; default: the group in the header of the file"
        )
        parser.add_argument("--kind", choices=Run.Kind.values, default="", help="default: automatic")
        parser.add_argument("--priority", type=int, default=1, help="1 is pooled first of a group's runs")
        parser.add_argument(
            "--tag-from", choices=["column", "name"], default="column", help="where the tag stands"
        )
        parser.add_argument(
            "--order",
            choices=Run.Order.values,
            default=Run.Order.SCORE,
            help="of the documents: score (highest first, as trec_eval; the default), rank (by the rank"
            " column) or lowest (lowest score first)",
        )
        add_map_option(parser, RUN)
        parser.add_argument(
            "--match-topics",
            action="store_true",
            help="take topics whose numbers differ only in how they are written (leading zeros, a prefix) for"
            " those of the campaign",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        refused, fields = 0, parse_choices(options["map"], RUN)
        for path in options["files"]:
            content, name = read(path)
            tag = tag_from_name(name) if options["tag_from"] == "name" else ""
            try:
                run = submit_run(
                    campaign,
                    user,
                    content,
                    name,
                    Submission(
                        tag,
                        options["group"],
                        options["kind"],
                        options["priority"],
                        order=options["order"],
                        fields=fields,
                        match_topics=options["match_topics"],
                    ),
                )
            except BadFile as error:
                refused += 1
                cure = "; --match-topics takes them" if getattr(error, "match", None) else ""
                self.stderr.write(f"refused: {error}{cure}")
            else:
                self.write(f"{name}: stored as {run.tag}, {counted(run.line_count, 'line')}{_warned(run)}")
        if refused:
            raise CommandError(f"{refused} of {len(options['files'])} files refused.")


def _warned(run: Run) -> str:
    return "".join(f"; {warning['what']}" for warning in run.warnings)

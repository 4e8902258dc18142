from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from assess.queries.extensions import SubmittedFile, submissions
from pooling.formats.files import BadFile
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Submit files that are not runs, such as answer runs; each is stored or refused by itself."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        kinds = sorted(submissions)
        parser.add_argument("kind", choices=kinds, help=f"what the files are: {', '.join(kinds)}")
        parser.add_argument("files", nargs="+")
        parser.add_argument(
            "--group", default="", help="the group that submits; default: the group in the file"
        )
        parser.add_argument(
            "--match-topics",
            action="store_true",
            help="take topics whose numbers differ only in how they are written (leading zeros, a prefix) for"
            " those of the campaign",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        refused = 0
        for path in options["files"]:
            content, name = read(path)
            file = SubmittedFile(content, name, options["group"], options["match_topics"])
            try:
                self.write(f"{name}: {submissions[options['kind']](campaign, user, file)}")
            except BadFile as error:
                refused += 1
                cure = "; --match-topics takes them" if getattr(error, "match", None) else ""
                self.stderr.write(f"refused: {error}{cure}")
        if refused:
            raise CommandError(f"{refused} of {len(options['files'])} files refused.")

from __future__ import annotations

from datetime import date
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.forms.imports import parse_grades
from assess.services.imports import MachineDetails, load_machine_labels
from pooling.checksum import sha256_of
from pooling.intake.fields import QRELS
from pooling.intake.options import add_map_option, add_match_options, add_word_option, reading_of
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign
from pooling.words import counted


class Command(CampaignCommand):
    help = "Load a qrels file that a program wrote as the labels of a named machine judge."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="qrels file, may be compressed")
        parser.add_argument("--judge", required=True, metavar="NAME", help="name of the new machine judge")
        parser.add_argument("--model", required=True, help="official name of the model, with its version")
        parser.add_argument(
            "--prompt",
            required=True,
            metavar="FILE",
            help="file of the prompt; only its SHA-256 checksum is stored",
        )
        parser.add_argument(
            "--made-on",
            required=True,
            type=date.fromisoformat,
            metavar="YYYY-MM-DD",
            help="date of the labels",
        )
        parser.add_argument("--note", default="", help="free text about the labels")
        parser.add_argument(
            "--grades",
            default="",
            help="FILE_GRADE=GRADE pairs, such as '5=3 -1=0'; other negative grades mean cannot judge",
        )
        add_map_option(parser, QRELS)
        add_word_option(parser)
        add_match_options(parser)

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        prompt, _ = read(options["prompt"])
        machine = MachineDetails(
            options["judge"], options["model"], sha256_of(prompt), options["made_on"], options["note"]
        )
        grades, reading = parse_grades(options["grades"]), reading_of(QRELS, options["map"], options["word"])
        reading = reading._replace(topics=options["match_topics"], docnos=options["match_docnos"])
        loaded = load_machine_labels(campaign, user, content, name, machine, grades, reading=reading)
        self.write(
            f"Loaded {counted(loaded.user.judgments.count(), 'label')} of {loaded.user.username}; "
            f"skipped {loaded.left_out:,} of documents in no pool."
        )

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.forms.imports import parse_grades
from assess.services.imports import load_judgments
from pooling.intake.fields import QRELS
from pooling.intake.options import add_map_option, add_match_options, add_word_option, reading_of
from pooling.management.campaign_command import CampaignCommand, read
from pooling.models import Campaign
from pooling.words import counted


class Command(CampaignCommand):
    help = (
        "Load a file of judgments (TREC, BEIR, NTCIR, CSV, JSON) as the labels of a named judge who cannot"
        " sign in."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="qrels file, may be compressed")
        parser.add_argument("--judge", required=True, metavar="NAME", help="name of the new judge")
        parser.add_argument(
            "--grades",
            default="",
            help="FILE_GRADE=GRADE pairs, such as '5=3 -1=0'; other negative grades mean cannot judge",
        )
        add_map_option(parser, QRELS)
        add_word_option(parser)
        add_match_options(parser)
        parser.add_argument(
            "--extend-pool",
            action="store_true",
            help="make a pool of the judged documents that are in no pool; default: leave them out",
        )
        parser.add_argument(
            "--in-plan",
            action="store_true",
            help="assign the topics of the file to the judge; default: no part in the judging plan",
        )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        content, name = read(options["file"])
        grades = parse_grades(options["grades"])
        choices = {name: options[name] for name in ("extend_pool", "in_plan")}
        reading = reading_of(QRELS, options["map"], options["word"])
        reading = reading._replace(topics=options["match_topics"], docnos=options["match_docnos"])
        loaded = load_judgments(
            campaign, user, content, name, options["judge"], grades, reading=reading, **choices
        )
        check = loaded.check
        for note in loaded.notes:
            self.write(f"Note: {note}.")
        self.write(
            f"Loaded {loaded.labels:,} of {check.judgments:,} judgments as those of {loaded.judge}:"
            f" {check.pooled:,} in a pool, {check.outside:,} outside"
            f" ({check.unknown:,} in no run and without a text)."
        )
        if loaded.newly_pooled:
            self.write(f"The pool was extended by {counted(loaded.newly_pooled, 'document')}.")
        elif check.outside:
            self.write(f"{check.outside:,} judgments were left out; --extend-pool stores them.")
        if check.match:
            self.write(f"{check.match.sentence('docno', 'of the pool')}; --match-docnos takes them.")
        for grade in check.grades:
            self.write(f"Grade {grade.grade}: {grade.judgments:,} judgments, {grade.pooled:,} in a pool.")
        for topic in check.topics:
            self.write(f"Topic {topic.topic}: {topic.judgments:,} judgments, {topic.pooled:,} in a pool.")

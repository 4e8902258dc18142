from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.template.defaultfilters import pluralize

from accounts.models import User
from pooling import tasks
from pooling.formats.archives import folder_files
from pooling.formats.documents.facts import facts_of_row
from pooling.formats.documents.reading import FORMS, DocumentReader, read_collection
from pooling.formats.documents.record import Decoder, DocumentRecord
from pooling.formats.documents.xml import parse_mapping
from pooling.intake.fields import DOCUMENTS, parse_choices
from pooling.intake.options import add_map_option
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign
from pooling.queries.documents import docnos_without_text
from pooling.services.documents import (
    IMAGES,
    ImportProgress,
    check_documents,
    document_reader,
    holds_images,
    import_documents,
    start_import,
)
from pooling.services.images import import_images
from pooling.words import counted

READ_OF_IR_DATASETS = ("doc_id", "title", "text", "contents", "body", "abstract", "url")
TOLD_EVERY = 50_000  # documents


class Command(CampaignCommand):
    help = (
        "Load documents from a file, a zip archive or a folder; keeps the pooled ones. "
        "A file that is loaded before the first pool is checked, and kept until a pool is frozen. "
        "A docno has at most 200 bytes. A zip archive of images is recognised: documents/DOCNO.png, "
        "documents/DOCNO/NAME.jpg, topics/NUMBER.png; its images replace those of the documents and topics."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("path", nargs="?", help="a file, plain or compressed, a zip archive or a folder")
        parser.add_argument("--ir-dataset", metavar="ID", help="documents of the package ir_datasets instead")
        parser.add_argument("--all", action="store_true", help="keep every document, pooled or not")
        parser.add_argument(
            "--replace", action="store_true", help="also replace texts for which labels were given"
        )
        parser.add_argument(
            "--form", choices=[*FORMS, IMAGES], default="", help="default: recognised from the content"
        )
        parser.add_argument("--elements", default="", help="of XML: 'document=DOC docno=DOCNO text=TEXT'")
        add_map_option(parser, DOCUMENTS)

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        if bool(options["path"]) == bool(options["ir_dataset"]):
            raise CommandError("Expected a path, or --ir-dataset with an identifier.")
        path = Path(options["path"] or "")
        elements = parse_mapping(options["elements"]) if options["elements"] else None
        fields = parse_choices(options["map"], DOCUMENTS)
        with ExitStack() as files:
            if path.is_file() and holds_images(file := files.enter_context(path.open("rb")), options["form"]):
                return self.write(f"{import_images(campaign, file, path.name, not options['all'], by=user)}.")

            def reread() -> DocumentReader:
                if options["ir_dataset"]:
                    return from_ir_datasets(options["ir_dataset"])
                if path.is_dir():
                    return read_collection(
                        folder_files(path), path.name, options["form"], elements, fields=fields
                    )
                file = files.enter_context(path.open("rb"))
                return document_reader(file, path.name, options["form"], elements, fields)

            if path.is_file() and not options["all"] and not campaign.pools.exists():
                file = files.enter_context(path.open("rb"))
                about = {
                    "name": path.name,
                    "form": options["form"],
                    "elements": options["elements"],
                    "pooled_only": True,
                    "replace": options["replace"],
                    "fields": fields,
                }
                message = check_documents(reread(), self.report)
                job = start_import(campaign, user, tasks.import_documents, file, about, message)
                return self.write(f"{path.name} is kept: {job.message}")
            done = import_documents(
                campaign, reread, not options["all"], self.report, by=user, replace=options["replace"]
            )
        missing = len(docnos_without_text(campaign))
        self.write(f"{done}.")
        self.write(f"{missing:,} pooled document{pluralize(missing)} without a text.")

    def report(self, step: ImportProgress) -> None:
        if not step.total and step.checked % TOLD_EVERY == 0:
            self.write(f"{counted(step.checked, 'document')} checked")
        elif step.read and step.read % TOLD_EVERY == 0:
            self.write(f"{step.read:,} of {step.total:,} documents read, {step.kept:,} stored")


def from_ir_datasets(identifier: str) -> DocumentReader:
    """Return a reading of a collection that the optional package ir_datasets knows; it downloads it."""
    try:
        dataset = import_module("ir_datasets").load(identifier)
    except ImportError as error:
        raise CommandError("This needs the package ir_datasets: pip install ir_datasets") from error
    records = (
        DocumentRecord(
            doc.doc_id,
            getattr(doc, "title", ""),
            doc.default_text(),
            getattr(doc, "url", ""),
            facts_of_row(getattr(doc, "_asdict", dict)(), READ_OF_IR_DATASETS),
        )
        for doc in dataset.docs_iter()
    )
    return DocumentReader(records, Decoder())

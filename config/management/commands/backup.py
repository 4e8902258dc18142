from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from config.archives.installation import back_up
from config.archives.last_backup import record_backup
from config.archives.zip_file import BadArchive
from pooling.models import Campaign
from pooling.queries.installation import describe_installation
from pooling.words import counted


class Command(BaseCommand):
    help = (
        "Write everything into one zip archive, as of one moment, while people work: all tables, and the"
        " files that they name, each with its SHA-256. Keep it as safe as the server: it holds password"
        " hashes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a new name, such as monday.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        if not User.objects.exists() and not Campaign.objects.exists():
            raise CommandError(
                f"There is nothing to back up: no account, no campaign ({describe_installation()})."
            )
        try:
            manifest = back_up(options["file"])
        except (BadArchive, OSError) as error:
            raise CommandError(str(error)) from error
        record_backup(options["file"], manifest)
        rows = sum(table["rows"] for table in manifest["tables"].values())
        self.stdout.write(
            f"{options['file']}: {counted(rows, 'row')}, {counted(len(manifest['files']), 'file')}."
        )
        self.stdout.write(f"From {describe_installation()}.")
        if missing_files := manifest["lost"]:
            raise CommandError(
                f"the storage lacks {counted(len(missing_files), 'file')}, the first is {missing_files[0]};"
                " the backup has everything else."
            )

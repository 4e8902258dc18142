from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.archives.installation import restore
from config.archives.zip_file import BadArchive
from pooling.words import counted


class Command(BaseCommand):
    help = (
        "Fill an empty installation from a backup, on SQLite or PostgreSQL, whichever it came from; then"
        " audit every campaign. People sign in anew."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        try:
            manifest = restore(options["file"])
        except (BadArchive, OSError) as error:
            raise CommandError(str(error)) from error
        rows = sum(table["rows"] for table in manifest["tables"].values())
        self.stdout.write(
            f"{counted(rows, 'row')} and {counted(len(manifest['files']), 'file')} of {manifest['made_at']}."
        )
        call_command("audit", all=True, stdout=self.stdout)

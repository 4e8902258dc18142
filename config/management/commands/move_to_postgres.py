from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection


class Command(BaseCommand):
    help = (
        "Copy everything from the SQLite file into an empty PostgreSQL: a backup, restored there and audited."
        " Stop the web server first, and start it with DATABASE_URL afterwards. Files stay where they are."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", help="postgres://user:password@host/name, an empty database")
        parser.add_argument(
            "--backup", type=Path, metavar="FILE", help="default: move.zip in the data folder"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "sqlite":
            raise CommandError("This installation is on PostgreSQL already: DATABASE_URL is set.")
        archive = options["backup"] or Path(settings.DATA_DIR) / "move.zip"
        call_command("backup", archive, stdout=self.stdout)
        command = [sys.executable, "-m", "config", "restore", str(archive.resolve())]
        environment = {**os.environ, "DATABASE_URL": options["url"], "PYTHONPATH": str(settings.BASE_DIR)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.stdout.write(done.stdout, ending="")
        if done.returncode:
            raise CommandError(f"Nothing was moved; the SQLite file is as it was.\n{done.stderr}")
        self.stdout.write(f"Moved. From now on start with DATABASE_URL. {archive} is a backup of before.")

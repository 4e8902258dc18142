from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from assess.management.source_command import SourceCommand
from assess.models import Source
from assess.services.sources import withdraw_source


class Command(SourceCommand):
    help = "Withdraw all labels of a source: a judge, a file or a program. They can be restored."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--reason", required=True, help="the page of the source and the audit log show it"
        )

    def change(self, source: Source, user: User, options: dict[str, Any]) -> None:
        count = withdraw_source(source, user, options["reason"])
        self.write(f"{count:,} labels of {source.user.username} are withdrawn.")

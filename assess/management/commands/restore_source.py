from __future__ import annotations

from typing import Any

from accounts.models import User
from assess.management.source_command import SourceCommand
from assess.models import Source
from assess.services.sources import restore_source


class Command(SourceCommand):
    help = "Let the labels of a withdrawn source count again."

    def change(self, source: Source, user: User, options: dict[str, Any]) -> None:
        count = restore_source(source, user)
        self.write(f"{count:,} labels of {source.user.username} count again.")

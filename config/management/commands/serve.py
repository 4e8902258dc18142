from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.operations.serving import ProcessEnded, serve


class Command(BaseCommand):
    help = (
        "Run the web server and one worker on this machine until one of them ends; the other is then asked to"
        " end as well. Under systemd or in containers, run each by itself instead."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            serve()
        except ProcessEnded as error:
            raise CommandError(str(error)) from error

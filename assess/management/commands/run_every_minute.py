from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from assess.queries.extensions import every_minute


class Command(BaseCommand):
    help = (
        "Do what features do regularly, such as telling webhooks what is new. Run it every minute from cron,"
        " if the worker is not that of `serve`, which does it. What fails is tried again at the next call."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for work in every_minute:
            for line in work():
                self.stdout.write(line)

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import ManifestFilesMixin
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.operations.serving import ProcessEnded, serve


class Command(BaseCommand):
    help = (
        "Run the web server and one worker on this machine until one of them ends; the other is then asked to"
        " end as well. Under systemd or in containers, run each by itself instead."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        # Without them every page is an error. After an upgrade its instructions say to collect them again.
        if not (settings.STATIC_ROOT / ManifestFilesMixin.manifest_name).is_file():
            self.stdout.write("There are no static files yet: collecting them.")
            call_command("collectstatic", interactive=False, verbosity=0)
        try:
            serve()
        except ProcessEnded as error:
            raise CommandError(str(error)) from error

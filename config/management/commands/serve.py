from __future__ import annotations

import signal
import subprocess
import sys
import time
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

LOOK = 0.2  # s between two looks at the processes
COMMANDS = {
    "web server": ["-m", "gunicorn", "-c", "config/gunicorn.py"],
    "worker": ["manage.py", "worker", "--beside"],
}


class Command(BaseCommand):
    help = (
        "Run the web server and one worker on this machine until one of them ends; the other is then asked to"
        " end as well. Under systemd or in containers, run each by itself instead."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        # In process groups of their own: Ctrl-C reaches this process only, which asks each of them once.
        running = {
            name: subprocess.Popen([sys.executable, *words], cwd=settings.BASE_DIR, process_group=0)
            for name, words in COMMANDS.items()
        }
        asked: list[int] = []

        def end(number: int, frame: FrameType | None) -> None:
            if not asked:
                for process in running.values():
                    process.terminate()
            asked.append(number)

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, end)
        while all(process.poll() is None for process in running.values()):
            time.sleep(LOOK)
        ended = [name for name, process in running.items() if process.poll() is not None]
        by_itself = not asked
        end(signal.SIGTERM, None)
        for process in running.values():
            process.wait()
        if by_itself:
            raise CommandError(f"The {ended[0]} ended by itself (status {running[ended[0]].returncode}).")

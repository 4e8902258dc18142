from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import get_context
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

LOOK = 0.2  # s between two looks at the processes
WEB_SERVER = [sys.executable, "-m", "gunicorn", "-c", "config/gunicorn.py"]


class Command(BaseCommand):
    help = (
        "Run the web server and one worker on this machine until one of them ends; the other is then asked to"
        " end as well. Under systemd or in containers, run each by itself instead."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        # In process groups of their own: Ctrl-C reaches this process only, which asks each of them once.
        web = subprocess.Popen(WEB_SERVER, cwd=settings.BASE_DIR, process_group=0)
        worker = get_context("fork").Process(target=run_worker)  # shares the memory of what is imported here
        worker.start()
        signals: list[int] = []

        def end(number: int, frame: FrameType | None) -> None:
            if not signals:
                web.terminate()
                worker.terminate()
            signals.append(number)

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, end)
        while web.poll() is None and worker.is_alive():
            time.sleep(LOOK)
        by_itself, web_ended = not signals, web.poll() is not None
        end(signal.SIGTERM, None)
        web.wait()
        worker.join()
        if by_itself:
            name, status = ("web server", web.returncode) if web_ended else ("worker", worker.exitcode)
            raise CommandError(f"The {name} ended by itself (status {status}).")


def run_worker() -> None:
    os.setpgid(0, 0)
    call_command("worker", beside=True)

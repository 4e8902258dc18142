"""The web server and one worker as two processes of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from http.client import HTTPException
from multiprocessing import get_context
from types import FrameType
from urllib.request import urlopen

from django.conf import settings
from django.core.management import call_command
from django.db import connections

LOOK = 0.2  # s between two looks at the processes
WEB_SERVER = [sys.executable, "-m", "gunicorn", "-c", "config/gunicorn.py"]


class ProcessEnded(RuntimeError):
    """The web server or the worker ended although no signal asked for it."""


def serve(address: str = "", on_ready: Callable[[], None] | None = None) -> None:
    """Run the web server and one worker until one of them ends; the other is then asked to end as well.

    on_ready is called once, when the web server answers at the address. Raises ProcessEnded.
    """
    close_connections()
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
        if on_ready and not signals and answers(address):
            on_ready()
            on_ready = None
        time.sleep(LOOK)
    by_itself, web_ended = not signals, web.poll() is not None
    end(signal.SIGTERM, None)
    web.wait()
    worker.join()
    if by_itself:
        name, status = ("web server", web.returncode) if web_ended else ("worker", worker.exitcode)
        raise ProcessEnded(f"The {name} ended by itself (status {status}).")


def close_connections() -> None:
    """Close the connections and pools of the database: a forked process cannot use those of its parent."""
    for connection in connections.all(initialized_only=True):
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()


def run_worker() -> None:
    os.setpgid(0, 0)
    call_command("worker", beside=True)


def answers(address: str) -> bool:
    """Return whether the web server at an address such as http://127.0.0.1:8000 answers."""
    try:
        with urlopen(f"{address}/health/live/", timeout=5):
            return True
    except (OSError, HTTPException):
        return False

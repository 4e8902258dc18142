"""A site in a folder that is removed again, whose pages are asked for in new processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.benchmarks.timing import milliseconds


@contextmanager
def empty_site() -> Iterator[None]:
    """Point this process, and those that it starts, at a new data folder with its database."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JURYPOOL_DATA"] = folder
        for words in (["migrate"], ["collectstatic", "--noinput"]):
            subprocess.run([sys.executable, "manage.py", *words, "--verbosity", "0"], check=True)
        yield


def in_new_process(module: str, *words: str) -> str:
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def look(page: str, times: int) -> None:
    """Ask for the page in this process, as carol; print the milliseconds of each time as JSON.

    The list of campaigns is asked for before: a web process has loaded its code when the first reader comes.
    """
    from django.conf import settings
    from django.test import Client

    from accounts.models import User

    settings.ALLOWED_HOSTS = ["testserver"]
    client, taken = Client(), []
    client.force_login(User.objects.get(username="carol"))
    client.get("/")
    for _ in range(times):
        taken.append(milliseconds(lambda: client.get(page).content))
    print(json.dumps(taken))

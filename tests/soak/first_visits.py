"""How long a page takes in a web process that has just started. Run inside `manage.py shell`.

Each page is asked for in a process of its own, forked from one that has loaded the application and nothing
else, as gunicorn with `preload_app` does: no cache holds anything of the campaign.
"""

from __future__ import annotations

import json
import os
import time
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.test import Client

from accounts.models import User


def first_visits(asked: str) -> None:
    """Print name -> seconds. asked: a file with name -> address, username ("" for a stranger), API token."""
    import_module("config.wsgi")  # as gunicorn does before it forks
    found = {name: _in_new_process(*place) for name, place in json.loads(Path(asked).read_text()).items()}
    print(json.dumps(found))


def _in_new_process(address: str, person: str, token: str) -> float:
    """Return the seconds until the whole page is there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writing, str(_visit(address, person, token)).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as answer:
        seconds = answer.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"{address} did not answer"
    return float(seconds)


def _visit(address: str, person: str, token: str) -> float:
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client(headers={"Authorization": f"Bearer {token}"} if token else None)
    if person and not token:
        client.force_login(User.objects.get(username=person), "django.contrib.auth.backends.ModelBackend")
    began = time.perf_counter()
    response = client.get(address)
    assert response.status_code == 200, f"{address}: {response.status_code}"
    size = sum(map(len, response))
    return time.perf_counter() - began if size else 0.0

"""The key of an endpoint is in the settings only: a search in all that is stored, logged and shown."""

from __future__ import annotations

import io
import logging
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from assess.machines import http_client
from assess.machines.services import sending as asking
from assess.machines.services.endpoints import send_again
from assess.models import MachineRequest
from pooling.models import Job
from tests.assess.machines.test_sending import ask, make_labelling, server
from tests.support.chat_server import KEY, ChatServer, Reply, completion, error
from tests.support.factory import Factory

__all__ = ["server"]
PAGES = ("judging/machines/labellings/1/", "judging/machines/labellings/1/endpoint/", "jobs/", "trail/")


def test_the_key_is_nowhere(
    make: Factory,
    server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "jurypool", "django"):
        caplog.set_level(logging.DEBUG, name)
    monkeypatch.setattr(asking, "MAX_TRIES", 1)
    server.script = [
        Reply(200, completion(f"The header was: Bearer {KEY}")),
        Reply(400, error(f"Bad request with {KEY}")),
        Reply(500, error(f"Crashed with {KEY}")),
        Reply(200, f"not JSON, but {KEY}".encode()),
        Reply(200, completion(), cut=9),
        Reply(302, b"", {"Location": f"http://127.0.0.1/?key={KEY}"}),
        Reply(401, error(f"Incorrect API key provided: {KEY}")),
    ]
    labelling = make_labelling(make, 9)
    redirected, refused = ask(labelling), ask(labelling)
    assert [redirected.state, refused.state] == ["failed", "failed"]
    with monkeypatch.context() as patched:
        patched.setattr(http_client, "send", failing)
        assert ask(labelling).state == "done"
    send_again(labelling, labelling.created_by, MachineRequest.State.SENT)
    assert ask(labelling).state == "done"
    assert [headers["Authorization"] for headers in server.headers] == [f"Bearer {KEY}"] * len(server.headers)
    shown = "".join(found for _, found in everything(make, tmp_path))
    logged = "".join(f"{record.getMessage()} {record.exc_text} {vars(record)}" for record in caplog.records)
    assert "jurypool" in logged and "The header was: Bearer [key]" in shown and "labelling" in shown
    assert KEY not in shown and KEY not in logged and KEY not in caplog.text


def failing(*args: Any) -> Any:
    raise RuntimeError(f"as if a library put {KEY} into its message")


def everything(make: Factory, folder: Path) -> list[tuple[str, str]]:
    """Return (place, text): the database, an archive of the campaign, a backup, and the pages."""
    database = io.StringIO()
    call_command("dumpdata", stdout=database)
    found = [("database", database.getvalue())]
    call_command("export_campaign", "tiny", folder / "campaign.zip", stdout=io.StringIO())
    call_command("backup", folder / "backup.zip", stdout=io.StringIO())
    for path in (folder / "campaign.zip", folder / "backup.zip"):
        with zipfile.ZipFile(path) as archive:
            found += [(name, archive.read(name).decode(errors="replace")) for name in archive.namelist()]
    client = Client()
    client.force_login(make.make_user("carol"))
    for page in (*PAGES, *(f"jobs/{job.pk}/" for job in Job.objects.all())):
        response = client.get(f"/campaigns/tiny/{page}")
        assert response.status_code == 200, page
        found.append((page, response.content.decode()))
    return found

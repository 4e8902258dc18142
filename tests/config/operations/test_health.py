"""Probes: who asks, without host, HTTPS or session, is told whether this process can work, and no more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage, Storage
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tests.config.test_settings import in_production
from tests.support.markup import markup

READY = "/health/ready/"


def test_a_process_that_answers_is_alive_and_touches_nothing(client: Client) -> None:
    """Without the marker of a test that may use the database: a query would fail."""
    response = client.get("/health/live/")
    assert (response.status_code, response.content) == (200, b"alive\n")
    assert "sessionid" not in response.cookies


@pytest.mark.django_db
def test_a_process_that_can_work_is_ready_and_writes_nothing(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for writer in ("save", "delete"):
        monkeypatch.delattr(Storage if writer == "save" else FileSystemStorage, writer)
    response = client.get(READY)
    assert (response.status_code, response.content) == (200, b"ready\n")
    assert "no-store" in response["Cache-Control"]
    assert [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()] == []


@pytest.mark.django_db
def test_an_answer_is_kept_for_a_moment(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(READY)
    with django_assert_num_queries(0):
        assert client.get(READY).status_code == 200


def assert_not_ready(client: Client, why: str) -> None:
    response = client.get(READY)
    assert (response.status_code, markup(response)) == (503, f"{why}\n")


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_told_without_details(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise DatabaseError("password authentication failed for user jury at 10.0.0.7")

    monkeypatch.setattr(connection, "cursor", fail)
    assert_not_ready(client, "the database does not answer")
    assert "10.0.0.7" in caplog.text  # for whoever runs it


@pytest.mark.django_db
def test_a_database_of_another_version_is_told(client: Client) -> None:
    last = MigrationRecorder.Migration.objects.filter(app="assess").latest("pk")
    MigrationRecorder(connection).record_unapplied(last.app, last.name)
    assert_not_ready(client, "the database is of another version: manage.py migrate")


@pytest.mark.django_db
def test_a_storage_that_takes_no_file_is_told(client: Client, settings: Settings) -> None:
    shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)
    Path(settings.MEDIA_ROOT).write_text("a file, where the folder should be")
    assert_not_ready(client, "files cannot be stored")


ASK = """
import json
from django.test import Client
ask = lambda url: Client().get(url, headers={"host": "10.1.2.3:8000"}).status_code
print(json.dumps([ask(url) for url in ("/health/live/", "/health/ready/", "/metrics/")]))
"""


@pytest.mark.slow
def test_behind_a_proxy_a_probe_needs_no_host_name_and_no_https(tmp_path: Path) -> None:
    assert in_production(tmp_path, "migrate", "-v0").returncode == 0
    done = in_production(tmp_path, "shell", "-v0", "-c", ASK)
    assert json.loads(done.stdout) == [200, 200, 404], done.stderr

"""A database that another process has locked: an answer that says so, and a server that stays alive."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import requests
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.models import Session
from assess.queries.judging import current_text_hash
from config.operations.middleware import BusyDatabase
from tests.support.factory import Factory
from tests.support.judges import signed_in
from tests.support.markup import markup
from tests.support.server import running

on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has no lock of all writers")
JUDGES = 12


@contextmanager
def locked(path: Path | str) -> Iterator[None]:
    """Hold the write lock of a database, as another process does."""
    other = sqlite3.connect(path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield
    finally:
        other.close()


@on_sqlite
@pytest.mark.django_db(transaction=True)
def test_a_label_that_waits_too_long_is_answered_with_503_and_can_be_sent_again() -> None:
    make = Factory()
    campaign = make.make_pooled_campaign()
    entry = make.entry(campaign, "alice", "1", "D1")
    client = Client()
    client.force_login(entry.judge)
    label = {
        "uuid": "11111111-1111-4111-8111-111111111111",
        "entry": entry.pk,
        "docno": "D1",
        "source": "key",
    }
    parcel = {"judge": entry.judge.pk, "topic": "1", "have": [], "want": 0}
    parcel["labels"] = [label | {"relevance": 2, "text_hash": current_text_hash(entry)}]

    def send() -> HttpResponse:
        return client.post("/campaigns/tiny/judge/outbox/", parcel, "application/json")  # type: ignore[return-value]

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    try:
        with locked(connection.settings_dict["NAME"]):
            refused = send()
    finally:
        connection.close()  # the next one waits 20 s again
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert "busy" in markup(refused)
    answer = send()
    assert answer.status_code == 200 and "data-problem" not in markup(answer)


@on_sqlite
@pytest.mark.django_db(transaction=True)
def test_a_page_is_shown_although_nobody_can_write_that_its_reader_was_seen() -> None:
    make = Factory()
    make.make_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    Session.objects.update(last_seen_at=timezone.now() - timedelta(hours=1))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    try:
        with locked(connection.settings_dict["NAME"]):
            assert client.get("/account/").status_code == 200
    finally:
        connection.close()  # the next one waits 20 s again
    client.get("/account/")
    assert Session.objects.get().last_seen_at > timezone.now() - timedelta(minutes=1)


@pytest.mark.parametrize(("path", "kind"), [("/", "text/html"), ("/api/x/", "application/problem+json")])
def test_a_database_that_is_away_is_told_in_the_form_that_was_asked_for(path: str, kind: str) -> None:
    guard = BusyDatabase(lambda request: HttpResponse())
    answer = guard.process_exception(RequestFactory().get(path), OperationalError("connection refused"))
    assert answer and answer.status_code == 503
    assert answer["Content-Type"].startswith(kind)


def test_an_error_of_ours_stays_one() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        raise AssertionError

    guard, error = BusyDatabase(view), OperationalError("no such table: pooling_campaign")
    error.__cause__ = sqlite3.OperationalError("no such table: pooling_campaign")
    for each in (error, ValueError()):
        assert guard.process_exception(RequestFactory().get("/"), each) is None


@pytest.mark.slow
@on_sqlite
def test_a_server_whose_labels_all_wait_answers_that_it_is_alive(tmp_path: Path) -> None:
    with running(tmp_path, JURYPOOL_WORKERS="1") as web:
        web.shell(f"from tests.soak.scene import build; build({JUDGES}, 10)")
        judges = signed_in(web, JUDGES)
        for judge in judges:
            judge.open_topic("1")
        with ThreadPoolExecutor(JUDGES) as threads, locked(tmp_path / "jurypool.sqlite3"):
            presses = [threads.submit(judge.press) for judge in judges]
            for _ in range(3):
                assert requests.get(f"{web.url}/health/live/", timeout=10).text == "alive\n"
            assert not all(press.done() for press in presses)  # the lock was held all the time
        for judge in judges:
            judge.close()
    refused = [judge.errors for judge in judges if judge.errors]
    assert all(errors == ["status 503"] for errors in refused)
    assert 0 < len(refused) < JUDGES

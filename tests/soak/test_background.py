"""Real workers, on SQLite and PostgreSQL, that are killed, paused and many: every effect is there once."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.chores import STEPS
from tests.support.postgres import found, server
from tests.support.server import ROOT, Server

LEASE = 2  # s
PATIENCE = 60  # s
WORKER = """
import tests.support.chores  # which registers its tasks
from django.core.management import call_command
call_command("worker", interval=0.1)
"""
FIRST = "SELECT state, done, total, attempts, message, upload FROM pooling_job ORDER BY id LIMIT 1"


class Workers:
    """Workers over one data folder and its database, which is read here past the application."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.place = Server(folder, database_url)
        self.place.environment["JURYPOOL_LEASE"] = f"{LEASE}"
        self.folder, self.url = folder, database_url
        self.started: list[subprocess.Popen[bytes]] = []

    def begin(self, chore: str, **words: int) -> None:
        given = ", ".join(f"{name}={value}" for name, value in words.items())
        self.place.shell(f"from tests.support.chores import begin; begin({chore!r}, {given})")

    def start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", WORKER]
        with self.place.log.open("ab") as log:
            worker = subprocess.Popen(command, env=self.place.environment, cwd=ROOT, stdout=log, stderr=log)
        self.started.append(worker)
        return worker

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        if self.url:
            with psycopg.connect(self.url) as postgres:
                return postgres.execute(query).fetchall()
        connection = sqlite3.connect(self.folder / "jurypool.sqlite3", timeout=20)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def wait(self, reached: Callable[[tuple[Any, ...]], bool], query: str = FIRST) -> tuple[Any, ...]:
        """Look until a row is as wished, and return it. Raises TimeoutError, with row and log."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            row = self.rows(query)[0]
            if reached(row):
                return row
            time.sleep(0.02)
        raise TimeoutError(f"{row}\n{self.place.log.read_text()}")

    def documents(self) -> list[str]:
        return [docno for (docno,) in self.rows("SELECT docno FROM pooling_document ORDER BY id")]

    def end(self) -> None:
        """End every worker, and forget what was to be done and what was done."""
        for worker in self.started:
            worker.send_signal(signal.SIGCONT)
            worker.kill()
            worker.wait()
        self.started.clear()
        shutil.rmtree(self.folder / "files" / "uploads", ignore_errors=True)
        self.place.shell(
            "from pooling.models import Document, Job\n"
            "for model in (Document, Job): model.objects.all().delete()"
        )


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with ExitStack() as stack:
        if request.param == "postgresql" and not found():
            pytest.skip("no PostgreSQL on this machine")
        url = stack.enter_context(server()).url if request.param == "postgresql" else ""
        yield Workers(tmp_path_factory.mktemp(request.param), url)


@pytest.fixture
def workers(place: Workers) -> Iterator[Workers]:
    yield place
    place.end()


def test_an_import_survives_kill_9_and_stores_every_document_once(workers: Workers) -> None:
    workers.begin("import", documents=8_000)
    worker = workers.start()
    state, *_ = workers.wait(lambda row: row[2] and row[1] >= 1_000)  # all are checked, some are stored
    worker.kill()
    assert (state, worker.wait()) == ("running", -signal.SIGKILL)
    assert len(workers.documents()) == workers.rows(FIRST)[0][1] < 8_000
    workers.start()
    state, done, total, attempts, message, _ = workers.wait(lambda row: row[0] not in ("waiting", "running"))
    assert (state, done, total, attempts) == ("done", 8_000, 8_000, 2)
    assert message == "8,000 documents read, 8,000 stored"  # those before the kill are counted once
    assert sorted(workers.documents()) == sorted(f"D{n}" for n in range(8_000))
    assert workers.wait(lambda row: row[5] == "")  # the upload is dropped
    assert list((workers.folder / "files" / "uploads").iterdir()) == []


@pytest.mark.slow
def test_training_survives_kill_9_and_every_review_has_its_batch_once(workers: Workers) -> None:
    topics = 30
    workers.begin("reviews", count=topics, documents=12_000)  # seconds: heartbeats tell of it
    worker = workers.start()
    state, *_ = workers.wait(lambda row: row[0] == "running" and 1 <= row[1] < topics)  # some are trained
    worker.kill()
    assert (state, worker.wait()) == ("running", -signal.SIGKILL)
    rounds = "SELECT count(*), count(DISTINCT review_id), min(number), max(number) FROM assess_reviewround"
    assert workers.rows(rounds)[0][0] == 0  # a batch is stored whole or not at all
    workers.start()
    state, _, _, attempts, message, _ = workers.wait(lambda row: row[0] not in ("waiting", "running"))
    assert (state, attempts, message) == ("done", 2, f"{topics} batches frozen.")
    assert workers.rows(rounds)[0] == (topics, topics, 1, 1)
    given = "SELECT count(*), count(DISTINCT pooled_id) FROM assess_revieweddocument"
    assert workers.rows(given)[0] == (20 * topics, 20 * topics)  # 10 of the model, 10 of the sample
    assert workers.rows("SELECT count(*) FROM pooling_pool") == [(1,)]


@pytest.mark.slow
def test_a_cancel_stops_an_import_between_chunks_and_the_worker_goes_on(workers: Workers) -> None:
    workers.begin("import", documents=60_000)
    worker = workers.start()
    workers.wait(lambda row: row[2] and row[1] >= 500)
    workers.place.shell(
        "from pooling.models import Job; from pooling.services.jobs import cancel_job;"
        " cancel_job(Job.objects.get())"
    )
    workers.begin("writes_once")
    workers.wait(lambda row: row[0] == 1, "SELECT count(*) FROM pooling_job WHERE state = 'done'")
    state, done, total, *_ = workers.rows(FIRST)[0]
    assert state == "cancelled"
    assert 500 <= done < total == 60_000
    assert len(workers.documents()) == done + 1  # what the row says, and the other job's
    assert worker.poll() is None


@pytest.mark.slow
def test_what_kills_every_worker_is_given_up_after_three_tries(workers: Workers) -> None:
    workers.begin("dies")
    deaths, until = 0, time.monotonic() + PATIENCE
    worker = workers.start()
    while workers.rows(FIRST)[0][0] in ("waiting", "running") and time.monotonic() < until:
        if worker.poll() is not None:
            deaths += 1
            worker = workers.start()
        time.sleep(0.1)
    state, _, _, attempts, message, _ = workers.rows(FIRST)[0]
    assert (state, attempts, deaths) == ("failed", 3, 3)
    assert message.startswith("The job failed: 3 attempts")
    workers.begin("writes_once")
    workers.wait(lambda row: row[0] == 1, "SELECT count(*) FROM pooling_job WHERE state = 'done'")
    assert worker.poll() is None


@pytest.mark.slow
def test_two_workers_do_fifty_jobs_once_each(workers: Workers) -> None:
    workers.begin("writes_once", count=50)
    workers.start(), workers.start()
    workers.wait(lambda row: row[0] == 50, "SELECT count(*) FROM pooling_job WHERE state = 'done'")
    jobs = [pk for (pk,) in workers.rows("SELECT id FROM pooling_job")]
    assert sorted(workers.documents()) == sorted(f"{pk}-0-1" for pk in jobs)


@pytest.mark.slow
def test_a_worker_that_was_paused_beyond_its_lease_wakes_up_and_doubles_nothing(workers: Workers) -> None:
    workers.begin("walks")
    first = workers.start()
    workers.wait(lambda row: row[1] >= 3)
    first.send_signal(signal.SIGSTOP)
    second = workers.start()
    workers.wait(lambda row: row[3] == 2)  # taken over
    first.send_signal(signal.SIGCONT)
    state, done, *_ = workers.wait(lambda row: row[0] not in ("waiting", "running"))
    assert (state, done) == ("done", STEPS)
    steps = [int(docno.split("-")[1]) for docno in workers.documents()]
    assert steps == list(range(STEPS))
    attempts = [int(docno.split("-")[2]) for docno in workers.documents()]
    assert attempts == sorted(attempts) and set(attempts) == {1, 2}
    assert first.poll() is second.poll() is None


@pytest.mark.slow
def test_a_long_job_of_a_living_worker_is_not_taken_over(workers: Workers) -> None:
    workers.begin("walks")  # takes longer than the lease
    workers.start(), workers.start()
    state, _, _, attempts, *_ = workers.wait(lambda row: row[0] not in ("waiting", "running"))
    assert (state, attempts) == ("done", 1)


@pytest.mark.slow
def test_a_worker_that_is_asked_to_end_hands_its_job_on_at_once(workers: Workers) -> None:
    workers.begin("walks")
    first = workers.start()
    workers.wait(lambda row: row[1] >= 2)
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=PATIENCE) == 0
    assert workers.rows(FIRST)[0][0] == "waiting"
    workers.start()
    assert workers.wait(lambda row: row[0] == "done")[3] == 2
    assert [int(docno.split("-")[1]) for docno in workers.documents()] == list(range(STEPS))

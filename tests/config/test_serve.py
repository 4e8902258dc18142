"""`manage.py serve`: the web server and a worker, which end together."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.support.postgres import found
from tests.support.postgres import server as postgres_server
from tests.support.server import Server, children_of, running

PATIENCE = 60  # s


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path) as web:
        yield web


def process_of(web: Server, name: str) -> int:
    """Return the web server, which has children of its own, or the worker, which has none."""
    assert web.process
    children = children_of(web.process.pid)
    assert len(children) == 2, web.log.read_text()
    return next(pid for pid in children if bool(children_of(pid)) == (name == "web server"))


def ends(web: Server) -> int:
    """Return the exit code; all processes have ended then."""
    assert web.process
    children = web.processes()[1:]
    code, until = web.process.wait(timeout=PATIENCE), time.monotonic() + PATIENCE
    while any(
        Path(f"/proc/{pid}").exists() for pid in children
    ):  # a killed master's processes look now and then
        assert time.monotonic() < until
        time.sleep(0.1)
    return code


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_a_signal_ends_both_in_good_order(web: Server, number: signal.Signals) -> None:
    assert web.process
    assert requests.get(f"{web.url}/health/live/", timeout=PATIENCE).text == "alive\n"
    time.sleep(2)  # until the worker has told the system how it wants to end
    web.process.send_signal(number)
    assert ends(web) == 0


def test_the_pages_are_shown_although_the_static_files_were_never_collected(tmp_path: Path) -> None:
    web = Server(tmp_path)
    shutil.rmtree(tmp_path / "static")
    try:
        web.start()
        assert requests.get(f"{web.url}/sign-in/", timeout=PATIENCE).status_code == 200
        assert "There are no static files yet: collecting them." in web.log.read_text()
    finally:
        web.kill()


@pytest.mark.slow
def test_both_outlive_a_restart_of_the_database(tmp_path: Path) -> None:
    if not found():
        pytest.skip("no PostgreSQL on this machine")
    with postgres_server(durable=True) as postgres, running(tmp_path, postgres.url) as web:
        worker = process_of(web, "worker")
        postgres.kill()
        time.sleep(4)  # the worker looks at the queue every second
        postgres.start()
        assert requests.get(f"{web.url}/health/ready/", timeout=PATIENCE).status_code == 200
        assert process_of(web, "worker") == worker


@pytest.mark.parametrize("name", ["worker", pytest.param("web server", marks=pytest.mark.slow)])
def test_when_one_of_them_dies_the_other_is_ended_and_the_exit_code_says_so(web: Server, name: str) -> None:
    os.kill(process_of(web, name), signal.SIGKILL)
    assert ends(web) == 1
    assert f"The {name} ended by itself (status -9)." in web.log.read_text()

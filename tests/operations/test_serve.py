"""`manage.py serve`: the web server and a worker, which end together."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.stress.server import Server, running

PATIENCE = 60  # s


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path) as web:
        yield web


def process_of(web: Server, word: str) -> int:
    """Return the first process whose command line has a word. Raises TimeoutError, with the log."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for pid in web.processes():
            if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        time.sleep(0.1)
    raise TimeoutError(web.log.read_text())


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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_both_in_good_order(web: Server, number: signal.Signals) -> None:
    assert web.process
    process_of(web, "worker")
    assert requests.get(f"{web.url}/health/live/", timeout=PATIENCE).text == "alive\n"
    time.sleep(2)  # until the worker has told the system how it wants to end
    web.process.send_signal(number)
    assert ends(web) == 0


@pytest.mark.parametrize("word", ["worker", "gunicorn"])
def test_when_one_of_them_dies_the_other_is_ended_and_the_exit_code_says_so(web: Server, word: str) -> None:
    os.kill(process_of(web, word), signal.SIGKILL)
    assert ends(web) == 1
    name = "worker" if word == "worker" else "web server"
    assert f"The {name} ended by itself (status -9)." in web.log.read_text()

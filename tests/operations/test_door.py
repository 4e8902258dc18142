"""The web server's door: one queue for all threads of all processes, from which whoever is free takes."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import repeat
from typing import Any, NamedTuple

import pytest
from gunicorn.config import Config
from gunicorn.glogging import Logger

from config import door
from config.door import Worker

THREADS = 2
ANSWER = b"x" * 500_000  # more than a line holds by itself
Ask = Callable[..., socket.socket]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


class Slow(NamedTuple):
    """What happens at /slow/."""

    begun: threading.Semaphore
    may_end: threading.Event


@pytest.fixture
def slow() -> Slow:
    return Slow(threading.Semaphore(0), threading.Event())


@pytest.fixture
def worker(listener: socket.socket, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A web process whose parent is that of the tests."""
    monkeypatch.setattr(door, "LOOK_UP", 0.05)

    def answer(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/slow/":
            slow.begun.release()
            assert slow.may_end.wait(60)
        if environ["PATH_INFO"] == "/read/":
            environ["wsgi.input"].read()
        if environ["PATH_INFO"] == "/flood/":
            start_response("200 OK", [])
            return repeat(ANSWER)
        start_response("200 OK", [("Content-Length", str(len(ANSWER)))])
        return broken() if environ["PATH_INFO"] == "/broken/" else [ANSWER]

    config = Config()
    for name, value in {"threads": THREADS, "keepalive": 0, "graceful_timeout": 60}.items():
        config.set(name, value)
    worker = Worker(1, os.getppid(), [listener], None, 30, config, Logger(config))
    worker.method_queue.init()
    worker.wsgi = answer
    process = threading.Thread(target=worker.run)
    process.start()
    yield worker
    slow.may_end.set()
    worker.handle_exit(None, None)
    process.join(60)
    assert not process.is_alive()
    worker.method_queue.close()
    worker.tmp.close()


@pytest.fixture
def ask(listener: socket.socket) -> Iterator[Ask]:
    """Ask for something, and return the line while the answer is under way."""
    with ExitStack() as lines:

        def ask(path: str = "/", text: bytes = b"", told: int | None = None) -> socket.socket:
            line = lines.enter_context(socket.create_connection(listener.getsockname(), timeout=60))
            head = (
                f"POST {path} HTTP/1.1\r\nHost: here\r\nContent-Length: {len(text) if told is None else told}"
            )
            line.sendall(head.encode() + b"\r\n\r\n" + text)
            return line

        yield ask


def broken() -> Iterator[bytes]:
    yield ANSWER[:1000]
    raise ValueError("so much for that")


def whole(line: socket.socket) -> bytes:
    """Return all that comes until the other side closes, without closing first."""
    return b"".join(iter(lambda: line.recv(65_536), b""))


def test_a_process_lets_in_whom_a_thread_is_free_for(
    worker: Worker, listener: socket.socket, ask: Ask, slow: Slow
) -> None:
    for _ in range(THREADS):
        ask("/slow/")
        assert slow.begun.acquire(timeout=60)
    third = ask("/slow/")
    taken, address = listener.accept()  # as another process would
    taken.close()
    assert address == third.getsockname()


def test_nobody_stands_by_until_the_other_side_has_closed(
    worker: Worker, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    stood_by = list[socket.socket]()
    monkeypatch.setattr("gunicorn.util.close_graceful", stood_by.append)
    lines = [ask(*request) for request in [("/read/", b"label"), ("/",)] * THREADS]
    for line in lines:
        assert whole(line).endswith(ANSWER)  # and nobody has closed a line yet
    assert stood_by == []


def test_a_request_may_pause(worker: Worker, ask: Ask) -> None:
    line = ask("/read/", b"half", told=8)
    threading.Event().wait(4 * door.LOOK_UP)
    line.sendall(b"half")
    assert whole(line).endswith(ANSWER)


def test_an_answer_arrives_also_where_the_request_was_not_read(worker: Worker, ask: Ask) -> None:
    line = ask("/", b"y" * 30_000, told=40_000)
    head = line.recv(1)  # it has begun
    line.sendall(b"y" * 10_000)  # what comes then
    assert (head + whole(line)).endswith(ANSWER)


def test_what_is_no_request_gets_an_answer(worker: Worker, listener: socket.socket) -> None:
    with socket.create_connection(listener.getsockname(), timeout=60) as line:
        line.sendall(b"? ? ?\r\n\r\n" + b"z" * 10_000)
        assert whole(line).startswith(b"HTTP/1.1 400 ")


def test_who_says_nothing_is_let_go(
    worker: Worker, listener: socket.socket, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    monkeypatch.setattr(door, "SILENCE", 0.05)
    with ExitStack() as lines:
        silent = [
            lines.enter_context(socket.create_connection(listener.getsockname(), timeout=60))
            for _ in range(3 * THREADS)
        ]
        assert whole(ask("/")).endswith(ANSWER)
        assert {whole(line) for line in silent} == {b""}


@pytest.mark.parametrize("begun", [b"GET / HT", b"POST /read/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"])
def test_who_falls_silent_within_a_request_is_let_go(
    worker: Worker, listener: socket.socket, monkeypatch: pytest.MonkeyPatch, ask: Ask, begun: bytes
) -> None:
    monkeypatch.setattr(door, "PATIENCE", 0.05)
    logged = list[str]()
    monkeypatch.setattr(worker.log, "exception", logged.append)
    with ExitStack() as lines:
        for _ in range(3 * THREADS):
            line = lines.enter_context(socket.create_connection(listener.getsockname(), timeout=60))
            line.sendall(begun)
        assert whole(ask("/")).endswith(ANSWER)
    assert logged == []  # it happens every day


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux can be told how long to wait")
def test_who_takes_no_answer_is_given_up(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, ask: Ask, slow: Slow
) -> None:
    monkeypatch.setattr(door, "PATIENCE", 0.05)
    lines = [ask("/flood/") for _ in range(3 * THREADS)]
    assert whole(ask("/")).endswith(ANSWER)
    assert lines


def test_who_goes_before_the_answer_keeps_nobody(worker: Worker, ask: Ask) -> None:
    for _ in range(3 * THREADS):
        ask("/").close()
    assert whole(ask("/")).endswith(ANSWER)


def test_an_answer_that_breaks_off_costs_no_thread(worker: Worker, ask: Ask) -> None:
    for _ in range(2 * THREADS):
        assert whole(ask("/broken/", told=9)).endswith(b"x" * 1000)
    assert whole(ask("/")).endswith(ANSWER)


def test_who_is_inside_gets_an_answer_when_the_process_ends(worker: Worker, ask: Ask, slow: Slow) -> None:
    line = ask("/slow/")
    assert slow.begun.acquire(timeout=60)
    worker.handle_exit(None, None)
    slow.may_end.set()
    assert whole(line).endswith(ANSWER)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_process_whose_door_is_broken_ends(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "NOBODY", ())  # so that a look at the clock counts as a fault
    for _ in range(600):
        if not worker.alive:
            break
        threading.Event().wait(0.1)
    assert not worker.alive

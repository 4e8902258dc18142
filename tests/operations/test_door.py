"""The web server's door: one queue for all processes, from which whoever has a thread free takes."""

from __future__ import annotations

import selectors
import socket
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack

import pytest
from gunicorn.config import Config
from gunicorn.workers.gthread import TConn

from config import door
from config.door import UNREAD, Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    config = Config()
    config.set("threads", 2)
    config.set("worker_connections", 1)
    worker = Worker(1, 1, [], None, 30, config, None)
    worker.tmp.close()  # the file by which it would show that it lives
    worker.poller = selectors.DefaultSelector()
    yield worker
    worker.poller.close()


@pytest.mark.parametrize(
    ("in_hand", "idle", "is_open"), [(0, 0, True), (1, 0, True), (2, 0, False), (1, 9, True), (2, 9, False)]
)
def test_a_process_lets_in_whom_a_thread_is_free_for(
    worker: Worker, in_hand: int, idle: int, is_open: bool
) -> None:
    worker.keepalived_conns, worker.pending_conns = deque(range(idle)), deque(range(idle))
    worker.nr_conns = in_hand + 2 * idle
    assert (worker.nr_conns < worker.worker_connections) is is_open


Line = tuple[TConn, socket.socket]  # and the end of whoever asked
Lines = Callable[[], Line]


@pytest.fixture
def line(worker: Worker) -> Iterator[Lines]:
    """Make a line on which somebody was let in."""
    with ExitStack() as ends:

        def line() -> Line:
            here, there = (ends.enter_context(end) for end in socket.socketpair())
            there.settimeout(10)
            worker.nr_conns += 1
            return TConn(worker.cfg, here, "", ""), there

        yield line


@pytest.fixture
def answered(worker: Worker, line: Lines) -> Lines:
    """Make a line whose answer has just been sent."""

    def answered() -> Line:
        (here, there), done = line(), Future[object]()
        here.sock.sendall(b"the answer")
        done.set_result(False)
        worker.finish_request(here, done)
        return here, there

    return answered


def is_open(line: TConn) -> bool:
    return bool(line.sock.fileno() != -1)


def test_nobody_stands_by_until_the_other_side_has_closed(worker: Worker, answered: Lines) -> None:
    (slow, there), (quick, elsewhere) = answered(), answered()
    assert worker.nr_conns == 0  # the next may come in
    assert there.recv(100) + there.recv(100) == elsewhere.recv(100) + elsewhere.recv(100) == b"the answer"
    elsewhere.close()
    worker.wait_for_and_dispatch_events(10)
    assert (is_open(slow), is_open(quick)) == (True, False)
    there.close()
    worker.wait_for_and_dispatch_events(10)
    assert not is_open(slow)
    assert not worker.leaving


def test_what_nobody_reads_may_come_for_a_while(worker: Worker, answered: Lines) -> None:
    line, there = answered()
    there.sendall(b"x" * (UNREAD // 2))
    worker.wait_for_and_dispatch_events(10)
    assert is_open(line)
    there.sendall(b"x" * (UNREAD // 2 + 1))
    while worker.leaving:
        worker.wait_for_and_dispatch_events(10)
    assert not is_open(line)
    assert there.recv(100) == b"the answer"


def test_who_does_not_close_is_closed(
    worker: Worker, answered: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    polite, _ = answered()
    monkeypatch.setattr(door, "FAREWELL", 0)
    rude, _ = answered()
    worker.murder_pending()
    assert is_open(polite)
    assert is_open(rude)  # whose time is up, but whose turn is later
    polite.timeout = rude.timeout
    worker.murder_pending()
    assert (is_open(polite), is_open(rude), worker.leaving) == (False, False, {})


def test_of_many_who_do_not_close_the_first_are_closed(
    worker: Worker, answered: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MOST_LEAVING", 2)
    lines = [answered()[0] for _ in range(4)]
    assert [is_open(line) for line in lines] == [False, False, True, True]


def test_who_has_gone_already_is_forgotten(worker: Worker, line: Lines) -> None:
    (here, there), done = line(), Future[object]()
    done.set_result(False)
    here.sock.close()
    there.close()
    worker.finish_request(here, done)
    assert (worker.nr_conns, worker.leaving) == (0, {})


def test_what_failed_is_closed_at_once(worker: Worker, line: Lines) -> None:
    (here, _), failed = line(), Future[object]()
    failed.set_exception(ValueError("so"))
    worker.finish_request(here, failed)
    assert (worker.nr_conns, is_open(here)) == (0, False)

"""Whom a web process lets in, and how it lets them go."""

from __future__ import annotations

import selectors
import socket
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

FAREWELL = 2.0  # s that the other side has to close its end
UNREAD = 65_536  # bytes that it may still send meanwhile: the rest of what was refused
MOST_LEAVING = 200  # of each process: a thousand open files are all that many a system allows it


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Opens the door only while a thread of its own is free; else whoever comes is taken by another process.

    The queue before the door is one for all processes. Let in at once, some would stand in a long queue
    inside one process while the next has nothing to do.

    Who has an answer is let go without the doorkeeper standing by: gunicorn's waits, at the door, until the
    other side has closed its end, which takes as long as the way there and back, and of some two seconds.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.leaving: dict[TConn, int] = {}  # line -> bytes that may still come; the first to leave is first

    @property
    def worker_connections(self) -> int:
        """As many as may be open: those that ask nothing just now do not count."""
        return len(self.keepalived_conns) + len(self.pending_conns) + int(self.cfg.threads)

    @worker_connections.setter
    def worker_connections(self, told: int) -> None:
        """It is not told but counted."""

    def finish_request(self, conn: TConn, future: Future[object]) -> None:
        """Close a line in the poller's time, not in that of the thread at the door, which comes here."""
        stays_or_fails = future.cancelled() or future.exception() or future.result()
        if stays_or_fails:
            super().finish_request(conn, future)
            return
        self.nr_conns -= 1
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
        except OSError:  # gone already
            conn.close()
            return
        if len(self.leaving) == MOST_LEAVING:
            self._close(next(iter(self.leaving)))
        conn.timeout = time.monotonic() + FAREWELL
        self.leaving[conn] = UNREAD
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._read_on, conn))

    def _read_on(self, conn: TConn, sock: socket.socket) -> None:
        """Read what comes after the answer. Closed with something unread, a line would lose the answer."""
        try:
            found = len(sock.recv(UNREAD))
        except BlockingIOError:
            return
        except OSError:
            found = 0
        self.leaving[conn] -= found
        if not found or self.leaving[conn] < 0:
            self._close(conn)

    def _close(self, conn: TConn) -> None:
        del self.leaving[conn]
        self.poller.unregister(conn.sock)
        conn.close()

    def murder_pending(self) -> None:
        super().murder_pending()
        now = time.monotonic()
        while self.leaving and (first := next(iter(self.leaving))).timeout <= now:
            self._close(first)

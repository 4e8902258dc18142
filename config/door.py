"""Whom a web process lets in, and how it lets them go."""

from __future__ import annotations

import errno
import select
import socket
import struct
import threading
import time

from gunicorn.workers.gthread import TConn, ThreadWorker

LOOK_UP = 0.5  # s after which a thread that waits at the door looks whether it should end
SILENCE = 5.0  # s that somebody who came in may take until the request begins
PATIENCE = 60.0  # s that somebody may pause within it, or leave what was sent to them unconfirmed
NOBODY = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)  # came, or was still there


class Line(socket.socket):
    """A line to somebody, who is taken to have gone after a long silence: phones do not say so."""

    @classmethod
    def from_accepted(cls, accepted: socket.socket) -> Line:
        line = cls(fileno=accepted.detach())
        _wait_at_most(line, PATIENCE)  # it has taken over what holds at the door
        if line.family != socket.AF_UNIX and hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * PATIENCE))
        return line

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        try:
            return super().recv(size, flags)
        except BlockingIOError:  # nothing came
            return b""


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Threads that let somebody in, answer and see them off, each on its own.

    The queue before the door is the operating system's, one for all threads of all processes: whoever comes
    is taken by the thread that has waited longest, and never by one that is busy. gunicorn has a thread at
    the door that does nothing else. It shares an interpreter with those that answer, and each step of a
    request went from one to the other and back: that was more than a third of what the interpreter did.

    A line ends with its answer (`keepalive = 0`): kept, it would bind a judge to one process.
    """

    alive: bool

    def run(self) -> None:
        threads = [
            threading.Thread(target=self._serve, args=[door], daemon=True)
            for door in self.sockets
            for _ in range(self.cfg.threads)
        ]
        for door in self.sockets:
            door.setblocking(True)  # the system waits, not Python, which would wake all threads for each
            _wait_at_most(door, LOOK_UP)
        for thread in threads:
            thread.start()
        while self.alive and self.is_parent_alive():
            self.notify()
            select.select([self.method_queue.fileno()], [], [], 1.0)  # handle_exit writes into it
        self.alive = False
        end = time.monotonic() + self.cfg.graceful_timeout
        while (busy := [thread for thread in threads if thread.is_alive()]) and time.monotonic() < end:
            self.notify()
            busy[0].join(LOOK_UP)

    def _serve(self, door: socket.socket) -> None:
        while self.alive:
            try:
                accepted, address = door.accept()
            except OSError as error:
                if error.errno in NOBODY:
                    continue
                self.alive = False  # the arbiter starts another
                raise
            self._answer(TConn(self.cfg, Line.from_accepted(accepted), address, door.getsockname()))

    def _answer(self, conn: TConn) -> None:
        conn.data_ready = _asks(conn.sock)
        if conn.data_ready:
            self.handle(conn)
        is_open = conn.sock.fileno() != -1  # gunicorn has closed it where an answer broke off
        conn.close(graceful=conn.data_ready and is_open and not _was_read(conn))


def _wait_at_most(line: socket.socket, seconds: float) -> None:
    whole, part = divmod(int(seconds * 1e6), 1_000_000)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", whole, part))


def _asks(line: socket.socket) -> bool:
    """Wait for the first bytes of a request."""
    poll = select.poll()
    poll.register(line, select.POLLIN)
    return bool(poll.poll(SILENCE * 1000))


def _was_read(conn: TConn) -> bool:
    """Return whether the request was read to its end.

    Else more of it may come. Closed while it does, a line loses the answer: so it is read on for a while.
    """
    request = conn.parser and conn.parser.mesg
    return bool(request) and getattr(request.body.reader, "length", None) == 0

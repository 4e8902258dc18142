"""The web server's door: one queue for all processes, from which whoever has a thread free takes."""

from __future__ import annotations

from collections import deque

import pytest
from gunicorn.config import Config

from config.gunicorn import Worker


@pytest.mark.parametrize(
    ("in_hand", "idle", "is_open"), [(0, 0, True), (1, 0, True), (2, 0, False), (1, 9, True), (2, 9, False)]
)
def test_a_process_lets_in_whom_a_thread_is_free_for(in_hand: int, idle: int, is_open: bool) -> None:
    config = Config()
    config.set("threads", 2)
    config.set("worker_connections", 1)
    worker = Worker(1, 1, [], None, 30, config, None)
    worker.tmp.close()  # the file by which it would show that it lives
    worker.keepalived_conns, worker.pending_conns = deque(range(idle)), deque(range(idle))
    worker.nr_conns = in_hand + 2 * idle
    assert (worker.nr_conns < worker.worker_connections) is is_open

"""Judges at work while the server, or the database under it, dies again and again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.soak.ledger import audit_faults, faults, stored
from tests.soak.load import quantile, thinking
from tests.support.judges import all_work, signed_in
from tests.support.postgres import Postgres
from tests.support.server import Server


@dataclass
class Outcome:
    """What became of the labels. repeated: sent more than once. saves: ms of each acknowledged request."""

    kills: int = 0
    pressed: int = 0
    acknowledged: int = 0
    repeated: int = 0
    saves: list[float] = field(default_factory=list)
    downtime: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    busy: float = 0

    def __str__(self) -> str:
        p50, p95, p99 = (quantile(self.saves, share) for share in (0.5, 0.95, 0.99))
        return (
            f"{self.kills} kills, {self.pressed} labels pressed, {self.acknowledged} acknowledged,"
            f" {self.repeated} sent again, {len(self.faults)} faults, save p50 {p50:.0f}"
            f" p95 {p95:.0f} p99 {p99:.0f} ms, longest start"
            f" {max(self.downtime, default=0):.1f} s, load average {self.busy:.1f}"
        )


def crash(
    server: Server,
    count: int,
    seconds: float,
    every: float,
    topics: Sequence[str],
    postgres: Postgres | None = None,
    meanwhile: Callable[[Server], None] = lambda server: None,
) -> Outcome:
    """Let judges work for so long; kill -9 every so many seconds: the web server, and the database with it.

    Every label is repeated until it is acknowledged, as the browser's outbox does. meanwhile: what an
    organiser does at the same time, in a thread of its own.
    """
    judges = signed_in(server, count, patient=True)
    outcome, until = Outcome(), time.monotonic() + seconds
    with ThreadPoolExecutor() as threads:
        tasks = [threads.submit(_kill, server, postgres, every, until, outcome)]
        tasks.append(threads.submit(meanwhile, server))
        all_work(judges, topics, seconds, thinking(0, 0.5))
    for task in tasks:
        task.result()
    labels = [label for judge in judges for label in judge.labels]
    outcome.pressed = len(labels)
    outcome.acknowledged = sum(label.acknowledged for label in labels)
    outcome.saves = [label.seconds * 1000 for label in labels if label.acknowledged]
    outcome.repeated = sum(label.attempts > 1 for label in labels)
    outcome.faults = faults(labels, stored(server)) + audit_faults(server)
    outcome.faults += [error for judge in judges for error in judge.errors]
    outcome.busy = os.getloadavg()[0]
    return outcome


def _kill(server: Server, postgres: Postgres | None, every: float, until: float, outcome: Outcome) -> None:
    while time.monotonic() + every < until:
        time.sleep(every)
        if postgres and outcome.kills % 2:  # the database first, under a server that lives
            postgres.kill()
            time.sleep(0.5)
            postgres.start()
            outcome.kills += 1
            continue
        server.kill()
        outcome.downtime.append(server.start())
        outcome.kills += 1

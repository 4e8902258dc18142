"""How many labels a server takes, and how long a judge's label is under way."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.support.judges import Judge, all_work, signed_in
from tests.support.server import Server


@dataclass(frozen=True)
class Figures:
    """Of one trial. Times of a save, from the request to the end of its answer, in ms."""

    labels: int
    seconds: float
    p50: float
    p95: float
    p99: float
    worst: float
    errors: list[str]
    cpu: float  # ms of the server's processor time a label
    cores: float  # that the server used
    driver: float  # cores that the judges used
    memory: float  # MB, proportional set size
    busy: float  # load average of the last minute: what else the machine did

    def __str__(self) -> str:
        return (
            f"{self.labels / self.seconds:6.1f} labels/s  save p50 {self.p50:6.1f} p95 {self.p95:6.1f}"
            f" p99 {self.p99:6.1f} max {self.worst:7.1f} ms  {len(self.errors)} errors"
            f"  cpu {self.cpu:4.1f} ms a label, {self.cores:.2f} cores + {self.driver:.2f}"
            f"  {self.memory:.0f} MB  load average {self.busy:.1f}"
        )


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not pass.

    >>> quantile([4, 1, 3, 2], 0.5), quantile([4, 1, 3, 2], 0.95)
    (2, 4)
    """
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)]


def at_once(draw: random.Random) -> float:
    return 0


def thinking(shortest: float, longest: float) -> Callable[[random.Random], float]:
    """Return a pause between two labels, evenly drawn, in seconds."""
    return lambda draw: draw.uniform(shortest, longest)


def trial(
    server: Server,
    count: int,
    seconds: float,
    topics: Sequence[str],
    pause: Callable[[random.Random], float] = at_once,
    meanwhile: Callable[[Server], None] = lambda server: None,
) -> tuple[Figures, list[Judge]]:
    """Let so many judges work on the topics for so long.

    meanwhile: what an organiser does at the same time, in a thread of its own.
    """
    judges = signed_in(server, count)
    cpu, own = server.cpu_seconds(), time.process_time()
    with ThreadPoolExecutor(1) as thread:
        other = thread.submit(meanwhile, server)
        took = all_work(judges, topics, seconds, pause)
    other.result()
    cpu, own = server.cpu_seconds() - cpu, time.process_time() - own
    saves = [label.seconds * 1000 for judge in judges for label in judge.labels if label.acknowledged]
    return (
        Figures(
            labels=len(saves),
            seconds=took,
            p50=quantile(saves, 0.5),
            p95=quantile(saves, 0.95),
            p99=quantile(saves, 0.99),
            worst=max(saves),
            errors=[error for judge in judges for error in judge.errors],
            cpu=cpu / len(saves) * 1000,
            cores=cpu / took,
            driver=own / took,
            memory=server.memory(),
            busy=os.getloadavg()[0],
        ),
        judges,
    )

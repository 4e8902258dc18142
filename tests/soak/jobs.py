"""Two judges press each half second while a worker stores machine labels and requests of another campaign."""

from __future__ import annotations

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.soak.load import quantile
from tests.support.judges import Judge, signed_in
from tests.support.server import Server

PAUSE = 0.5  # s between two presses of a judge
PATIENCE = 1_800  # s for all jobs
MOST_MILLISECONDS = 200  # of the 95th percentile


@dataclass(frozen=True)
class Saves:
    """The saves of the judges until all jobs have ended. Times in ms. jobs: what they say at the end."""

    stored: int
    unavailable: int  # answered 503
    median: float
    p95: float
    longest: float
    seconds: float
    busy: float  # load average of the last minute
    jobs: list[str]
    errors: list[str]

    def __str__(self) -> str:
        return (
            f"{self.stored} labels stored, {self.unavailable} answered 503, median {self.median:.0f} "
            f"p95 {self.p95:.0f} max {self.longest:.0f} ms, {self.seconds:.0f} s, "
            f"load average {self.busy:.1f}"
        )


def saves_beside_jobs(server: Server, rows: int) -> Saves:
    """Start two jobs of so many labels and two of so many requests; two judges work until they have ended."""
    server.shell(f"from tests.soak.jobs_scene import build; build({rows})")
    judges, ended = signed_in(server, 2), threading.Event()
    with ThreadPoolExecutor(len(judges)) as threads:
        tasks = [threads.submit(_press_until, judge, ended) for judge in judges]
        began = time.monotonic()
        try:
            server.shell("from tests.soak.jobs_scene import start; start()")
            jobs = _wait_for_jobs(server)
        finally:
            ended.set()
    for task in tasks:
        task.result()
    labels = [label for judge in judges for label in judge.labels]
    times = [label.seconds * 1000 for label in labels]
    errors = [error for judge in judges for error in judge.errors]
    return Saves(
        stored=sum(label.acknowledged for label in labels),
        unavailable=errors.count("status 503"),
        median=quantile(times, 0.5),
        p95=quantile(times, 0.95),
        longest=max(times),
        seconds=time.monotonic() - began,
        busy=os.getloadavg()[0],
        jobs=jobs,
        errors=errors,
    )


def _press_until(judge: Judge, ended: threading.Event) -> None:
    for topic in ("1", "2", "3"):
        if not ended.is_set():
            judge.open_topic(topic)
        while not ended.wait(PAUSE):
            if not judge.press():
                break
    judge.close()


def _wait_for_jobs(server: Server) -> list[str]:
    """Return what every job says once all have ended. Raises TimeoutError."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        jobs = json.loads(server.shell("from tests.soak.jobs_scene import jobs; jobs()"))
        if not any(state in ("waiting", "running") for _, state, _ in jobs):
            return [f"{title}: {state}, {message}" for title, state, message in jobs]
        time.sleep(5)  # each look starts a Python process
    raise TimeoutError(f"{jobs}\n{server.log.read_text()}")

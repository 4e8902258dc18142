"""The trials in full, with their figures: `make soak`, or `python -m tests.soak sittings load crash`.

The machine should do nothing else: judges and server share its cores. Half an hour; less with --size 0.1.
Ends with 1 if a label was lost, doubled or misplaced; a slow machine is no fault.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from tests.browser.chromium import CHROMIUM
from tests.soak.chaos import play, typed
from tests.soak.chaos_ledger import ledger_faults
from tests.soak.crash import crash
from tests.soak.jobs import MOST_MILLISECONDS, saves_beside_jobs
from tests.soak.ledger import audit_faults, faults, stored
from tests.soak.load import at_once, quantile, thinking, trial
from tests.soak.organiser import fill_track, organise, told
from tests.soak.scale import HEADING, scaled
from tests.soak.sitting import Mishaps, empty_paints, evenly, sit, sitting_faults
from tests.support.names import SHARED, TRACK
from tests.support.postgres import Postgres, found
from tests.support.postgres import server as postgres_server
from tests.support.server import Server, running

FAULTS: list[str] = []
DATABASES: dict[str, Callable[[], AbstractContextManager[Postgres | None]]] = {
    "SQLite": nullcontext,
    "PostgreSQL": lambda: postgres_server(durable=True),
}


def tell(name: str, figures: object, wrong: list[str]) -> None:
    print(f"{name:<44} {figures}", flush=True)
    for fault in wrong[:5]:
        print(f"    FAULT {fault}", flush=True)
    FAULTS.extend(wrong)


@contextmanager
def scene(judges: int, documents: int, topics: int, database_url: str = "") -> Iterator[Server]:
    with TemporaryDirectory() as folder, running(Path(folder), database_url) as server:
        server.shell(f"from tests.soak.scene import build; build({judges}, {documents}, {topics})")
        yield server


def sittings(size: float) -> None:
    """A judge in a browser, on the embedded default."""
    labels = max(20, round(200 * size))
    cases = {
        "browser": (0, Mishaps()),
        "browser, 200 ms": (200, Mishaps()),
        "browser, 2,000 ms": (2000, Mishaps()),
        "browser, network cut five times": (0, Mishaps(cut=evenly(5, labels))),
        "browser, 2,000 ms, cut five times": (2000, Mishaps(cut=evenly(5, labels))),
        "browser, ten kill -9, tab closed twice": (
            0,
            Mishaps(kill=evenly(10, labels), close=evenly(2, labels)),
        ),
    }
    with scene(len(cases), labels + 20, 1) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        before = empty_paints(browser, server, labels)
        for number, (case, (latency, mishaps)) in enumerate(cases.items()):
            name = f"judge{number:02}"
            sitting = sit(browser, server, name, labels, latency=latency, mishaps=mishaps)
            events = stored(server)["event"]
            wrong = sitting_faults(sitting, name, "1", events) + audit_faults(server)
            tell(case, sitting, wrong)
            if number == 0:
                empty = before + empty_paints(browser, server, labels)
                tell("... an empty page, before and after", ratios(sitting.painted, empty), [])
        browser.close()
    chaotic_sittings(size)


def ratios(painted: list[float], empty: list[float]) -> str:
    own, other = ([quantile(values, share) for share in (0.5, 0.95)] for values in (painted, empty))
    return (
        f"painted p50 {other[0]:.1f} p95 {other[1]:.1f} ms"
        f"  ratios {own[0] / other[0]:.2f} and {own[1] / other[1]:.2f}"
    )


def chaotic_sittings(size: float, seed: int = 0) -> None:
    """Five judges to whom everything happens, two of them on slow computers. seed: of their acts."""
    labels = max(20, round(150 * size))
    with scene(5, labels + 40, 1) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for number, throttle in enumerate((1, 1, 1, 6, 6)):
            name = f"judge{number:02}"
            ledger = play(browser, server, name, labels, throttle, seed)
            wrong = ledger_faults(ledger, typed(server, name)) + audit_faults(server)
            tell(f"chaos {number + 1}, processor 1/{throttle}", ledger, wrong)
        browser.close()


def load(size: float) -> None:
    """Judges over HTTP, on the embedded default."""
    seconds = 60 * size
    trials = {
        "20 judges, closed loop": (20, at_once, ["1", "2", "3"]),
        "20 judges, closed loop, a topic shared": (20, at_once, [SHARED]),
        "20 judges thinking 1.5 to 4.5 s": (20, thinking(1.5, 4.5), ["1"]),
        "50 judges, a label every 2 s": (50, thinking(1.9, 2.1), ["1"]),
    }
    for name, (judges, pause, topics) in trials.items():
        with scene(judges, 600, 3) as server:  # more than they can label in the time
            figures, people = trial(server, judges, seconds, topics, pause)
            labels = [label for judge in people for label in judge.labels]
            tell(name, figures, faults(labels, stored(server)) + audit_faults(server) + figures.errors)
    load_beside_an_organiser(size)


def load_beside_an_organiser(size: float) -> None:
    """50 judges while runs as large as a track's are submitted and pooled."""
    runs = max(5, round(100 * size))
    with scene(50, 600, 3) as server:
        server.shell("from tests.soak.scene import build_track; build_track(50)")
        work = fill_track(runs, 50, 1000)
        figures, people = trial(server, 50, 60 * size, ["1"], thinking(1.9, 2.1), work)
        labels = [label for judge in people for label in judge.labels]
        wrong = faults(labels, stored(server)) + audit_faults(server) + figures.errors
        tell(f"50 judges, while {runs} runs are submitted and pooled", figures, wrong)


def crashes(size: float) -> None:
    """50 judges; kill -9 every 20 s."""
    seconds, every, topics = 300 * size, max(3.0, 20 * size), [*map(str, range(1, 5)), SHARED]
    with scene(50, 300, 4) as server:
        outcome = crash(server, 50, seconds, every, topics)
        tell("50 judges, kill -9, SQLite", outcome, outcome.faults)
    with scene(50, 300, 4) as server:
        outcome = crash(server, 50, seconds, every, topics, meanwhile=organise(100, 300))
        tell("... while an organiser works", outcome, outcome.faults + _undone(server))
    if not found():
        print("no PostgreSQL on this machine")
        return
    with postgres_server(durable=True) as postgres, scene(50, 300, 4, postgres.url) as server:
        outcome = crash(server, 50, seconds, every, topics, postgres, organise(100, 300))
        tell("50 judges, kill -9 of web and PostgreSQL", outcome, outcome.faults + _undone(server))


def jobs(size: float) -> None:
    """Two judges, while a worker stores 200,000 machine labels and 200,000 requests."""
    rows = round(100_000 * size)
    for name, database in DATABASES.items():
        if name == "PostgreSQL" and not found():
            continue
        with database() as postgres, scene(2, 1_000, 3, postgres.url if postgres else "") as server:
            saves = saves_beside_jobs(server, rows)
            slow = [f"p95 above {MOST_MILLISECONDS} ms"] if saves.p95 > MOST_MILLISECONDS else []
            wrong = [job for job in saves.jobs if ": done, " not in job]
            wrong += saves.errors + slow + audit_faults(server, TRACK)
            tell(f"{name}, 2 judges beside jobs of {rows:,} rows", saves, wrong)


def _undone(server: Server) -> list[str]:
    runs, pools, releases = told(server)
    whole = (runs, pools) == (101, 2) and releases >= 1
    return [] if whole else [f"the organiser has {runs} runs, {pools} pools, {releases} releases"]


def scale(size: float) -> None:
    """Every page of a campaign as large as a TREC track: of six judges, then of a hundred on every topic."""
    for name, database in DATABASES.items():
        if name == "PostgreSQL" and not found():
            continue
        for crowd in (0, 94):
            print(f"{name}, {6 + crowd} judges, ms\n{HEADING}", flush=True)
            with database() as postgres, TemporaryDirectory() as folder:
                weighed = scaled(Path(folder), size, postgres.url if postgres else "", crowd=crowd)
            slow = [f"{page.name} is slow" for page in weighed.pages if page.is_slow]
            tell(f"{name}, a campaign as large as a track", weighed, weighed.faults + slow)


TRIALS = {"sittings": sittings, "load": load, "crash": crashes, "jobs": jobs, "scale": scale}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help=f"{', '.join(TRIALS)}; default: all")
    parser.add_argument("--size", type=float, default=1.0, help="a part of the full length")
    options = parser.parse_args()
    if unknown := set(options.trials) - TRIALS.keys():
        parser.error(f"expected {', '.join(TRIALS)}, found {min(unknown)}")
    for name in options.trials or TRIALS:
        TRIALS[name](options.size)
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())

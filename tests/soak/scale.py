"""How every page answers in a campaign as large as a TREC track, and what such a campaign weighs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.support.judges import Judge
from tests.support.server import Server, running

PEOPLE = ("olga", "ada", "judge00", "dave", "rita", "")  # "" has not signed in
VISITS = 5
PATIENCE = 300  # s that a page may take before it counts as broken
FIRST, AFTER, AGAIN = 1.5, 0.7, 0.4  # s that a page may take: in a new process, after a label, again


@dataclass
class Visited:
    """One address. Times in seconds until the whole answer is there; of a file, until its first bytes are.

    first: of each person who may look. warm: later visits. after: the visit after a new label. alone: of a
    page, the visit in a new process, which no other page has prepared.
    """

    name: str
    address: str = ""
    first: dict[str, float] = field(default_factory=dict)
    warm: dict[str, list[float]] = field(default_factory=dict)
    after: float = 0
    alone: float = 0
    size: int = 0
    is_file: bool = False

    @property
    def slowest(self) -> str:
        return max(self.warm, key=lambda person: max(self.warm[person]))

    @property
    def again(self) -> float:
        """The median of later visits, of the person who waits longest."""
        return max(median(times) for times in self.warm.values())

    @property
    def is_slow(self) -> bool:
        """Whether people wait for it; a file may take its time."""
        too_long = self.alone > FIRST or self.after > AFTER or self.again > AGAIN
        return too_long and not self.is_file

    def __str__(self) -> str:
        worst = max(self.warm[self.slowest])
        figures = (self.again, worst, max(self.first.values()), self.after, self.alone)
        times = "".join(f"{1000 * seconds:9.0f}" for seconds in figures)
        return (
            f"{self.name:<36}{times}{self.size / 1000:10.0f}{' file' * self.is_file:<6} {self.slowest or '-'}"
        )


HEADING = f"{'':<36}{'again':>9}{'worst':>9}{'first':>9}{'after':>9}{'alone':>9}{'KB':>10}      slowest"


def visits(server: Server, token: str, times: int) -> Iterator[Visited | str]:
    """Visit every address as everybody who may; yield what each took, or what is wrong with one."""
    people = {name: Judge(server, name) for name in PEOPLE}
    for name in filter(None, PEOPLE):
        people[name].sign_in()
    people["judge01"] = Judge(server, "judge01")
    people["judge01"].sign_in()
    people["judge01"].open_topic(_topic_of(people["judge01"]))
    addresses = json.loads(server.shell("from tests.soak.addresses import dump; dump()"))
    for name, address in addresses.items():
        visited = Visited(name, address)
        headers = {"Authorization": f"Bearer {token}"} if name.startswith("api:") else {}
        for person in (PEOPLE[0],) if headers else PEOPLE:
            status, seconds = _visit(people[person], address, visited, headers)
            if status >= 500:
                yield f"{name}: {status} to {person or 'a stranger'}"
            elif status == 200:
                visited.first[person] = seconds
                visited.warm[person] = [
                    _visit(people[person], address, visited, headers)[1] for _ in range(times)
                ]
        if visited.first:
            people["judge01"].press()
            visited.after = _visit(people[next(iter(visited.first))], address, visited, headers)[1]
            yield visited
    for judge in people.values():
        judge.close()


def _topic_of(judge: Judge) -> str:
    """Return the first topic that the judge has."""
    page = judge.request("GET", "/campaigns/load/judge/").body
    return page.partition("/judge/topics/")[2].partition("/")[0]


def _visit(person: Judge, address: str, visited: Visited, headers: dict[str, str]) -> tuple[int, float]:
    """Return status and seconds. A file is read to its end once, and timed until its first bytes."""
    person.close()  # so that the server has not closed it, being idle
    connection, began = person.connection, time.perf_counter()
    connection.timeout = PATIENCE
    cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in person.cookies.items())}
    connection.request("GET", address, headers=cookies | headers)
    response = connection.getresponse()
    begin = response.read(1)
    seconds = time.perf_counter() - began
    attached = "attachment" in (response.getheader("Content-Disposition") or "")
    visited.is_file = attached or response.getheader("Content-Length") is None
    if visited.is_file and visited.size:
        person.close()  # or a thread of the server would go on writing to somebody who does not read
        return response.status, seconds
    size = len(begin + response.read())
    if response.status == 200:
        visited.size = size
    return response.status, seconds if visited.is_file else time.perf_counter() - began


@dataclass
class Scale:
    """What a campaign weighs, and how its pages answered. Sizes in MB, times in seconds."""

    told: str
    audit: tuple[float, str]
    backup: float
    database: float
    files: float
    memory: float
    pages: list[Visited]
    faults: list[str]

    def __str__(self) -> str:
        return (
            f"{self.told}\n{'audit':<36}{self.audit[0]:9.1f} s  {self.audit[1]}\n"
            f"{'backup':<36}{self.backup:9.1f} s\n{'database':<36}{self.database:9.0f} MB\n"
            f"{'files':<36}{self.files:9.0f} MB\n{'memory after every page':<36}{self.memory:9.0f} MB"
        )


def scaled(
    folder: Path,
    size: float,
    database_url: str = "",
    each: Callable[[Visited], None] = print,
    times: int = VISITS,
    crowd: int = 0,
) -> Scale:
    """Make the campaign, look at every page of it, audit it and back it up.

    One web process: what it keeps is what the next visit finds. each: is told of every page. times: how often
    each is looked at again. crowd: judges whose labels come from files, besides those who judge here.
    """
    with running(folder, database_url, JURYPOOL_WORKERS="1", JURYPOOL_API_REQUESTS="0") as server:
        built = f"from tests.soak.track import build, told; print(build({size}, {crowd})); print(told())"
        token, told = server.shell(built).splitlines()
        pages, faults = [], []
        for found in visits(server, token, times):
            if isinstance(found, str):
                faults.append(found)
            else:
                pages.append(found)
        _visit_alone(server, pages, token, folder / "visits.json")
        for page in pages:
            each(page)
        memory, audit = server.memory(), timed(server, "audit", "--all")
        faults += [audit[1]] if audit[1].startswith("FAILED") else []
        backup, said = timed(server, "backup", str(folder / "backup.zip"))
        faults += [said] if said.startswith("FAILED") else []
        database = float(server.shell("from tests.soak.track import database_size; print(database_size())"))
        return Scale(told, audit, backup, database, weight(folder / "files"), memory, pages, faults)


def _visit_alone(server: Server, pages: list[Visited], token: str, asked: Path) -> None:
    """Visit every page once in a process of its own, as the first person who may."""
    alone = {
        page.name: (page.address, next(iter(page.first)), token if page.name.startswith("api:") else "")
        for page in pages
        if not page.is_file
    }
    asked.write_text(json.dumps(alone))
    visits = f"from tests.soak.first_visits import first_visits; first_visits({str(asked)!r})"
    seconds = json.loads(server.shell(visits).splitlines()[-1])
    for page in pages:
        page.alone = seconds.get(page.name, 0)


def weight(folder: Path) -> float:
    """Return the size of all files in a folder, in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def timed(server: Server, *words: str) -> tuple[float, str]:
    """Return the seconds that a management command takes, and the last line that it prints."""
    began = time.perf_counter()
    done = server.attempt(*words)
    said = done.stdout.strip().rpartition("\n")[2]
    return time.perf_counter() - began, said if done.returncode == 0 else f"FAILED: {said}"

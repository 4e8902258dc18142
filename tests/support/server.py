"""A Jurypool of its own, as it is started in life, that can be killed in the middle of anything."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path

from tests.support.postgres import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30  # s until a server must answer
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """The web server's processes over one data folder. They die and come back; folder and port stay.

    program: the command line of the site. place: the folder in which it is called.
    """

    program: tuple[str, ...] = (sys.executable, "manage.py")
    place = ROOT

    def __init__(self, folder: Path, database_url: str = "", **environment: str) -> None:
        self.port = free_port()
        self.log = folder / "log"
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "JURYPOOL_DATA": str(folder),
            "JURYPOOL_BIND": f"127.0.0.1:{self.port}",
            "JURYPOOL_LOG": "error",
            **environment,
        }
        self.environment.pop("DATABASE_URL", None)
        if database_url:
            self.environment["DATABASE_URL"] = database_url
        self.process: subprocess.Popen[bytes] | None = None
        if self.program == Server.program and not database_url:
            shutil.copytree(prepared(), folder, dirs_exist_ok=True)
        else:
            self.prepare()

    def prepare(self) -> None:
        self.manage("migrate", "-v0")
        self.manage("collectstatic", "--noinput", "-v0")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *words: str) -> str:
        """Return what a management command prints. Raises CalledProcessError."""
        return self.attempt(*words, check=True).stdout

    def attempt(self, *words: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        command = [*self.program, *words]
        return subprocess.run(
            command, env=self.environment, cwd=self.place, check=check, stdout=subprocess.PIPE, text=True
        )

    def shell(self, code: str) -> str:
        return self.manage("shell", "-v0", "-c", code)

    def start(self) -> float:
        """Start, and return the seconds until the first answer. Raises TimeoutError, with the log."""
        began = time.monotonic()
        command = [*self.program, "serve"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env=self.environment, cwd=self.place, stdout=log, stderr=log, start_new_session=True
            )
        while time.monotonic() < began + PATIENCE:
            if self._answers():
                return time.monotonic() - began
            time.sleep(0.02)
        raise TimeoutError(self.log.read_text())

    def _answers(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/health/ready/")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def kill(self) -> None:
        """End all processes at once: no handler runs, nothing is flushed."""
        if self.process:
            for pid in self.processes():  # parents first: none of them starts another
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def processes(self) -> list[int]:
        """Return the processes that run now, each behind its parent."""
        found = [self.process.pid] if self.process else []
        for pid in found:
            found += children_of(pid)
        return found

    def memory(self) -> float:
        """Return the proportional set size of all processes, in MB: shared pages count once."""
        return sum(map(_proportional, self.processes())) / 1024

    def cpu_seconds(self) -> float:
        """Return what the processes that run now have used."""
        return sum(map(_cpu_seconds, self.processes()))


def children_of(pid: int) -> list[int]:
    """Return the children of a process, whichever of its threads started them, by Linux's table."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has ended meanwhile
            found += map(int, thread.read_text().split())
    return found


def _proportional(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS  # utime, stime


@cache
def prepared() -> Path:
    """Return a data folder with the empty tables and the static files, to be copied. It costs seconds.

    It is kept for later runs, until something that it is made from changes.
    """
    made, kept = key_of_prepared(), ROOT / ".pytest_cache" / "prepared"
    kept.parent.mkdir(exist_ok=True)
    with kept.with_suffix(".lock").open("w") as lock:
        flock(lock, LOCK_EX)  # a second process waits until the first has made it
        key = kept / "key"
        if not key.exists() or key.read_text() != made:
            shutil.rmtree(kept, ignore_errors=True)
            prepare(kept / "data")
            key.write_text(made)
    return kept / "data"


def prepare(folder: Path) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "JURYPOOL_DATA": str(folder)}
    environment.pop("DATABASE_URL", None)
    for words in (("migrate", "-v0"), ("collectstatic", "--noinput", "-v0")):
        subprocess.run([*Server.program, *words], env=environment, cwd=ROOT, check=True)
    (folder / "secret-key").unlink(missing_ok=True)  # every server makes its own


def key_of_prepared() -> str:
    """Return a checksum of what the tables and the static files are made from."""
    places = ("*/migrations/*.py", "config/settings.py", "requirements.txt", "static/**/*")
    files = sorted(file for place in places for file in ROOT.glob(place) if file.is_file())
    return sha256(b"".join(f"{file}".encode() + file.read_bytes() for file in files)).hexdigest()


@contextmanager
def running(folder: Path, database_url: str = "", **environment: str) -> Iterator[Server]:
    """Yield a server over an empty data folder, with these settings besides; end it afterwards."""
    server = Server(folder, database_url, **environment)
    server.start()
    try:
        yield server
    finally:
        server.kill()

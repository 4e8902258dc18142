"""Run a command with DATABASE_URL set to a PostgreSQL that lives only as long as it does.

    python -m tests.support.postgres python -m pytest

Takes the binaries found on the machine, on PATH or where Debian puts them. PostgreSQL refuses to run
as root, so root lends the server to `nobody`.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def found() -> Path | None:
    """Return the folder that holds initdb and pg_ctl; None where there is no PostgreSQL."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = str(debian[-1]) if debian else shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def binaries() -> Path:
    """Return the folder that holds initdb and pg_ctl; end the program where there is none."""
    home = found()
    if home is None:
        sys.exit("No PostgreSQL here: initdb is neither on PATH nor in /usr/lib/postgresql.")
    return home


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Postgres:
    """A server over a folder of its own, that can be killed and started again.

    durable: every commit reaches the disk, and statistics follow what is stored, as in life. Else it is
    quick, and no plan is made for a table that a test left empty but large.
    """

    def __init__(self, durable: bool = False) -> None:
        self.user = "nobody" if os.geteuid() == 0 else None
        self.folder, self.port, self.home = tempfile.mkdtemp(prefix="jurypool-pg-"), free_port(), binaries()
        self.data = f"{self.folder}/data"
        self.durable = "on" if durable else "off"
        if self.user:
            shutil.chown(self.folder, self.user)
        options = ("-U", "jurypool", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self._run("initdb", "-D", self.data, *options)
        self.start()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "jurypool", "jurypool")

    @property
    def url(self) -> str:
        return f"postgres://jurypool@127.0.0.1:{self.port}/jurypool"

    def _run(self, program: str, *words: str) -> None:
        command = (f"{self.home}/{program}", *words)
        subprocess.run(command, check=True, user=self.user, cwd=self.folder, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        options += f" -c fsync={self.durable} -c autovacuum={self.durable}"
        self._run("pg_ctl", "-D", self.data, "-o", options, "-l", f"{self.folder}/log", "-w", "start")

    def kill(self) -> None:
        """End the postmaster and every backend at once, as a power switch would; the next start recovers."""
        postmaster = int(Path(self.data, "postmaster.pid").read_text().split()[0])
        backends = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for pid in [postmaster, *map(int, backends)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while Path(
            f"/proc/{postmaster}"
        ).exists():  # a dead one that init has not buried yet locks the folder
            time.sleep(0.02)

    def remove(self) -> None:
        with suppress(subprocess.CalledProcessError):  # it may lie killed
            self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def server(durable: bool = False) -> Iterator[Postgres]:
    """Yield a new, empty server."""
    postgres = Postgres(durable)
    try:
        yield postgres
    finally:
        postgres.remove()


if __name__ == "__main__":
    with server() as postgres:
        environment = {**os.environ, "DATABASE_URL": postgres.url}
        sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)

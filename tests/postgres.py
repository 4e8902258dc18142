"""Run a command with DATABASE_URL set to a PostgreSQL that lives only as long as it does.

    python -m tests.postgres python -m pytest

Takes the binaries found on the machine, on PATH or where Debian puts them. PostgreSQL refuses to run
as root, so root lends the server to `nobody`.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path:
    """Return the folder that holds initdb and pg_ctl."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = str(debian[-1]) if debian else shutil.which("initdb")
    if found is None:
        sys.exit("No PostgreSQL here: initdb is neither on PATH nor in /usr/lib/postgresql.")
    return Path(found).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server() -> Iterator[str]:
    """Yield the DATABASE_URL of a new, empty server."""
    user = "nobody" if os.geteuid() == 0 else None
    folder, port, home = tempfile.mkdtemp(prefix="jurypool-pg-"), free_port(), binaries()
    if user:
        shutil.chown(folder, user)

    def run(*words: str) -> None:
        subprocess.run(words, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)

    data = f"{folder}/data"
    run(
        f"{home}/initdb", "-D", data, "-U", "jurypool", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
    )
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    run(f"{home}/pg_ctl", "-D", data, "-o", options, "-l", f"{folder}/log", "-w", "start")
    try:
        run(f"{home}/createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "jurypool", "jurypool")
        yield f"postgres://jurypool@127.0.0.1:{port}/jurypool"
    finally:
        run(f"{home}/pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    with server() as url:
        sys.exit(subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": url}).returncode)

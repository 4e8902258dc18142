"""A worker on another host: another checkout, another data folder; the database and the bucket are shared."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.support import postgres, s3
from tests.support.server import ROOT, Server

CODE = ("manage.py", "accounts", "pooling", "assess", "metrics", "config", "templates", "static")
BEGIN = "from tests.support.chores import begin; begin('import', documents=1200)"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not postgres.found(), reason="no PostgreSQL on this machine"),
]


def checkout(folder: Path) -> Path:
    """Copy the code, as it would lie on another host."""
    folder.mkdir()
    for name in CODE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def test_a_worker_elsewhere_does_the_job_of_this_host(tmp_path: Path) -> None:
    with postgres.server() as database, s3.bucket() as bucket:
        (tmp_path / "here").mkdir()
        here = Server(tmp_path / "here", database.url)
        here.environment |= bucket
        here.shell(BEGIN)
        assert not (tmp_path / "here" / "files").exists()
        environment = {**here.environment, "JURYPOOL_DATA": str(tmp_path / "there-data")}
        done = subprocess.run(
            [sys.executable, "manage.py", "worker", "--batch"],
            cwd=checkout(tmp_path / "there"),
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        with psycopg.connect(database.url) as rows:
            job = rows.execute("SELECT state, done, message FROM pooling_job").fetchone()
            kept = rows.execute("SELECT count(*) FROM pooling_document").fetchone()
        assert job == ("done", 1200, "1,200 documents read, 1,200 stored")
        assert kept == (1200,)

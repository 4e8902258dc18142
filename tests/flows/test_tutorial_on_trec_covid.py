"""The commands of the tutorial about TREC-COVID, as written, in a folder with the public files."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.metrics.shared_data import DATA, needs

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tutorials/trec-covid.md").read_text()
PREPARE = """
jurypool manage migrate -v0
jurypool manage createsuperuser --noinput --username olga --email olga@example.org
"""
COLUMNS = {"AP": "MAP", "bpref": "bpref", "P@5": "p@5", "nDCG@10": "ndcg@10"}


@needs("trec-covid-round1")
@pytest.mark.slow
def test_the_commands_of_the_tutorial_give_nists_pool_and_scores(tmp_path: Path) -> None:
    """Of some runs the data has only the first ranks: these are pooled, and their scores are not compared."""
    data = DATA / "trec-covid-round1"
    for name in ("topics-rnd1.xml", "qrels-rnd1.txt", "leaderboard.csv"):
        (tmp_path / name).symlink_to(data / name)
    (tmp_path / "runs").mkdir()
    complete = {path.name: path for path in (data / "runs").glob("*.gz")}
    pooled = {path.name: path for path in (data / "runs-contributing-top20").glob("*.gz")}
    for name, path in (pooled | complete).items():
        (tmp_path / "runs" / name).symlink_to(path)
    (tmp_path / "jurypool").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jurypool "$@"\n')
    (tmp_path / "jurypool").chmod(0o755)
    said = "".join(run(block, tmp_path) for block in [PREPARE, *blocks()])

    assert "frozen: 6,959 documents" in said
    ours, published = rows(tmp_path / "scores.csv"), rows(tmp_path / "leaderboard.csv")
    assert len(complete) == 16
    for tag in (name.removesuffix(".gz") for name in complete):
        assert [ours[tag][each] for each in COLUMNS] == [published[tag][each] for each in COLUMNS.values()], (
            tag
        )


def blocks() -> list[str]:
    """Return the blocks of commands that are not marked as not run."""
    found = re.findall(r"(<!-- not run: [^>]+ -->\n)?```sh\n(.*?)```", PAGE, re.DOTALL)
    return [text for not_run, text in found if not not_run]


def run(block: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "JURYPOOL_DATA": str(folder / "data"),
        "DJANGO_SUPERUSER_PASSWORD": "pedals-turn-wheels",
    }
    environment.pop("DATABASE_URL", None)
    done = subprocess.run(
        ["bash", "-euc", block], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open() as file:
        return {row["run"]: row for row in csv.DictReader(file)}

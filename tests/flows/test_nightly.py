"""The example of a nightly script submits runs to a live server and fails when the score falls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from pytest_django.live_server_helper import LiveServer

from accounts.services import create_token
from tests.support.factory import Factory

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "examples" / "nightly.py"


def test_the_nightly_script_submits_reads_scores_and_fails_on_a_lower_score(
    transactional_db: None, live_server: LiveServer, tmp_path: Path
) -> None:
    make = Factory()
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    token = create_token(make.make_user("dave"), "test", "submit")

    def nightly(docnos: str, *options: str) -> subprocess.CompletedProcess[str]:
        lines = (f"1 Q0 {docno} {rank} {9 - rank} okapi\n" for rank, docno in enumerate(docnos.split()))
        (tmp_path / "my.run").write_text("".join(lines))
        return subprocess.run(
            [sys.executable, str(SCRIPT), live_server.url, "tiny", "my.run", *options],
            cwd=tmp_path,
            env=os.environ | {"JURYPOOL_TOKEN": token},
            capture_output=True,
            text=True,
        )

    early = nightly("D1", "--tag", "early")
    assert early.returncode == 2
    assert early.stderr.endswith("No release of the qrels can be seen after 0 minutes.\n")
    make.make_release(campaign)
    first, worse, equal = (
        nightly(docnos, "--tag", tag) for tag, docnos in (("one", "D1 D2"), ("two", "D2 D1"), ("three", "D1"))
    )
    assert (first.returncode, first.stdout) == (0, "one nDCG@10 1.0000 on release 1\n"), first.stderr
    assert (worse.returncode, "baseline 1.0000" in worse.stdout) == (1, True)
    assert equal.returncode == 0 and json.loads((tmp_path / "baseline.json").read_text())["value"] == 1
    taken = nightly("D1", "--tag", "one")
    assert taken.returncode == 2 and "422" in taken.stderr

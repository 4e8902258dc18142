"""A typed client that a generator makes from the OpenAPI document works against a running server."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from accounts.services import create_token
from pooling.models import Campaign
from tests.support.factory import Factory

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "api-clients.md").read_text()
SITE = "https://pool.example.org"
MORE = """
import sys
import uuid
from jurypool_client import AuthenticatedClient
from jurypool_client.api.adjudication import dispute, dispute_list, dispute_settle
from jurypool_client.api.campaigns import campaign_list
from jurypool_client.api.runs import run_file
from jurypool_client.api.scores import collection
from jurypool_client.models import (
    DisputeWithLabels, PageCampaignOut, PageDisputeOut, ProblemOut, SettledOut, SettleIn,
)
from jurypool_client.types import File

site, token = sys.argv[1:]
client = AuthenticatedClient(site, token, raise_on_unexpected_status=True)
campaigns = campaign_list.sync(client=client)
assert isinstance(campaigns, PageCampaignOut) and [each.slug for each in campaigns.items] == ["tiny"]
listed = dispute_list.sync("tiny", client=client)
assert isinstance(listed, PageDisputeOut)
(case,) = listed.items
found = dispute.sync("tiny", case.id, client=client)
assert isinstance(found, DisputeWithLabels) and found.settled is None and len(found.labels) == 2
seen = {"docno": found.docno, "text_hash": found.text_hash, "last_label": found.last_label}
decision = SettleIn.from_dict({"uuid": str(uuid.uuid4()), "relevance": 2, **seen})
settled = dispute_settle.sync("tiny", case.id, client=client, body=decision)
assert isinstance(settled, SettledOut) and settled.relevance == 2
refused = dispute_settle.sync("nowhere", case.id, client=client, body=decision)
assert isinstance(refused, ProblemOut) and refused.status == 404
archive = collection.sync("tiny", 1, client=client)
assert isinstance(archive, File) and archive.payload.read(2) == b"PK"
stored = run_file.sync("tiny", "run", client=client)
assert isinstance(stored, File) and stored.payload.read(2) == bytes([31, 139])
"""


def called(folder: Path, *words: str) -> str:
    """Return what a command prints in a folder."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture
def campaign(transactional_db: None) -> Campaign:
    make = Factory()
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    make.make_release(campaign)
    return campaign


@pytest.mark.slow
def test_a_client_is_generated_checked_and_used(
    campaign: Campaign, live_server: LiveServer, tmp_path: Path
) -> None:
    make = Factory()
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    (generate,) = [
        line for line in commands.splitlines() if line.startswith("openapi-python-client generate")
    ]
    (tmp_path / "client.yaml").write_text((ROOT / "docs" / "examples" / "client.yaml").read_text())
    name, *words = shlex.split(generate.replace(SITE, live_server.url))
    said = called(tmp_path, str(Path(sys.executable).parent / name), *words)
    assert "WARNING" not in said, said  # an operation or an answer that the client would lack

    here = program.replace(SITE, live_server.url).replace('"python"', '"tiny"')
    here = here.replace("jp_...", create_token(make.make_user("dave"), "submit", "submit"))
    (tmp_path / "program.py").write_text(here)
    (tmp_path / "more.py").write_text(MORE)
    (tmp_path / "my.run").write_text("1 Q0 D1 1 2.0 okapi\n")
    plain = ("--config-file=", "--strict", "--cache-dir", str(tmp_path / "cache"))
    called(tmp_path, sys.executable, "-m", "mypy", *plain, "program.py", "more.py")
    said = called(tmp_path, sys.executable, "program.py")
    assert said == "submitted: okapi 2\nokapi False\n"
    called(tmp_path, sys.executable, "more.py", live_server.url, create_token(make.make_user("carol"), "all"))

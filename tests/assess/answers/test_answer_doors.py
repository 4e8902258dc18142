"""Answer runs by the REST API and by the command."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.services import create_token
from assess.answers.services import set_answer_rules
from pooling.models import Campaign
from tests.assess.answers.files import GOOD, answer_file
from tests.support.factory import Factory

API = "/api/campaigns/tiny/answer-runs/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_topic(campaign, "2")
    set_answer_rules(campaign, make.make_user("carol"), {"accepts": True})
    return campaign


def with_token(make: Factory, name: str) -> Client:
    token = create_token(make.make_user(name), "test", "submit")
    return Client(headers={"Authorization": f"Bearer {token}"})


def test_a_participant_submits_by_the_api(campaign: Campaign, make: Factory) -> None:
    dave = with_token(make, "dave")
    file = SimpleUploadedFile("one.jsonl", answer_file(GOOD, "scores", group="davelab"))
    stored = dave.post(API, {"file": file, "description": "Ours."})
    assert stored.status_code == 201
    expected = {"tag": "one", "group": "davelab", "form": "report", "answer_count": 2, "late": False}
    assert stored.json().items() >= expected.items()
    make.make_answer_run(campaign, tag="other")
    assert [each["tag"] for each in dave.get(API).json()["items"]] == ["one"]
    first = dave.get(f"{API}one/answers/?limit=1").json()
    assert first["items"][0] == {
        "topic": "1",
        "sentences": [
            {"text": "Boats float.", "citations": ["D1"], "scores": [100]},
            {"text": "They carry people and goods.", "citations": ["D1", "D2"], "scores": [100, 99]},
        ],
        "references": ["D1", "D2"],
        "metadata": {"team_id": "davelab", "run_id": "one", "request_id": "1"},
        "words": 7,
        "characters": 41,
        "line": 1,
    }
    assert [each["topic"] for each in dave.get(first["next"]).json()["items"]] == ["2"]
    assert dave.get(f"{API}other/answers/").status_code == 404


def test_a_refusal_by_the_api_names_the_lines(campaign: Campaign, make: Factory) -> None:
    dave = with_token(make, "dave")
    refused = dave.post(API, {"file": SimpleUploadedFile("one.jsonl", answer_file() + b"{\n")})
    assert refused.status_code == 422
    assert "line 3" in json.dumps(refused.json())
    other = SimpleUploadedFile("one.jsonl", answer_file())
    assert dave.post(API, {"file": other, "group": "pier"}).status_code == 422


def said(*words: str) -> str:
    out = StringIO()
    call_command("submit_files", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_submits_files(campaign: Campaign, make: Factory, tmp_path: Path) -> None:
    good, zeros, bad = (tmp_path / name for name in ("good.jsonl", "zeros.jsonl", "bad.jsonl"))
    good.write_bytes(answer_file())
    zeros.write_bytes(answer_file({"01": GOOD["1"]}, tag="zeros"))
    bad.write_bytes(b"{\n")
    assert "good.jsonl: stored as one, 2 answers; docnos were not checked" in said(
        "tiny", "answers", f"{good}"
    )
    run = campaign.answer_runs.get(tag="one")
    assert (run.group, run.submitted_by.username) == ("harbour", "carol")
    out = StringIO()
    with pytest.raises(CommandError, match="2 of 2 files refused"):
        call_command("submit_files", "tiny", "answers", f"{zeros}", f"{bad}", stdout=out, stderr=out)
    assert "--match-topics takes them" in out.getvalue()
    assert "refused: bad.jsonl, line 1: expected one JSON object on the line" in out.getvalue()
    assert "stored as zeros" in said("tiny", "answers", f"{zeros}", "--match-topics", "--group", "pier")
    assert campaign.answer_runs.get(tag="zeros").group == "pier"

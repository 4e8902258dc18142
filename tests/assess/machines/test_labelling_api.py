"""Labellings by a program: requests out as files, results in, labels stored and taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from accounts.services import create_token
from pooling.models import Campaign
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_labelling(campaign)  # of topic 1, with one answer
    return campaign


@pytest.fixture
def client(make: Factory) -> Client:
    return Client(headers={"authorization": f"Bearer {create_token(make.make_user('carol'), 'test')}"})


def got(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"{HOME}{path}", body, content_type="application/json")


def result(key: str, grade: int) -> bytes:
    choices = [{"message": {"content": f"##final score: {grade}"}, "finish_reason": "stop"}]
    body = {"model": "model-2", "choices": choices, "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    return json.dumps({"custom_id": key, "response": {"status_code": 200, "body": body}}).encode() + b"\n"


def test_requests_go_out_and_labels_come_back(campaign: Campaign, client: Client) -> None:
    (prompt,) = got(client.get(f"{HOME}prompts/"))["items"]
    asked = {"name": "Other judge", "prompt": prompt["number"], "model": "model-3", "topics": ["1"]}
    created = got(post(client, "labellings/", **asked), 201)
    assert (created["number"], created["counts"]["waiting"], created["machine"]) == (2, 3, None)
    assert "in use" in got(post(client, "labellings/", **asked), 409)["detail"]  # sent again
    assert [part["requests"] for part in created["parts"]] == [3]
    file = b"".join(client.get(f"{HOME}labellings/2/parts/1/"))
    keys = [json.loads(line)["custom_id"] for line in file.splitlines()]
    assert len(keys) == 3 and client.get(f"{HOME}labellings/2/parts/2/").status_code == 404

    def load(content: bytes) -> Any:
        return client.post(f"{HOME}labellings/2/results/", {"file": SimpleUploadedFile("r.jsonl", content)})

    assert got(load(b'{"custom_id": "strange"}\n'), 422)["errors"][0]["line"] == 1
    results = b"".join(result(key, grade) for key, grade in zip(keys, (0, 1, 2), strict=True))
    assert got(load(results)) == {"answered": 3, "unreadable": 0, "failed": 0, "known": 0}
    assert got(load(results))["known"] == 3
    stored = got(client.post(f"{HOME}labellings/2/labels/"), 201)
    assert (stored["judge"], stored["labels"]) == ("tiny/Other judge", 3)
    got(client.post(f"{HOME}labellings/2/labels/"), 409)  # they are stored
    assert got(client.get(f"{HOME}labellings/2/"))["machine"] == stored["source"]
    withdrawn = post(client, f"sources/{stored['source']}/withdrawal/", reason="A mistake.")
    assert got(withdrawn) == {"labels": 3}


def test_many_requests_become_a_job(campaign: Campaign, client: Client, settings: Settings) -> None:
    settings.BACKGROUND_REQUESTS = 1
    asked = {"name": "Other judge", "prompt": 1, "model": "model-3", "topics": ["all"]}
    job = got(post(client, "labellings/", **asked), 202)
    assert got(client.get(f"{HOME}jobs/{job['id']}/"))["state"] == "done"
    assert [each["name"] for each in got(client.get(f"{HOME}labellings/"))["items"]] == [
        "model judge",
        "Other judge",
    ]
    got(post(client, "labellings/", **asked | {"prompt": 9}), 422)


def test_a_prompt_is_stored_once(campaign: Campaign, client: Client) -> None:
    template = (
        "Query: {topic}\nDocument: {document}\nGrades: {scale}\nAnswer with ##final score: and a grade."
    )
    refused = got(post(client, "prompts/", template="Say {nothing}."), 422)
    assert "is not a placeholder" in refused["detail"]
    got(post(client, "prompts/", template=template, examples=[1]), 422)  # which is no training document
    stored = got(post(client, "prompts/", template=template, note="short"), 201)
    assert (stored["number"], stored["note"], len(stored["sha256"])) == (2, "short", 64)
    assert "the same as prompt 2" in got(post(client, "prompts/", template=template), 409)["detail"]

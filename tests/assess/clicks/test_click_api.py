"""Click logs by a program: loaded, made into labels, withdrawn and restored."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.services import create_token
from pooling.models import Campaign
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/click-logs/"
LOG = b"topic,session,shown,clicks\n1,a,D1 D2,1\n1,b,D1 D2,1 2\n1,c,D1 D2,\n"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.fixture
def client(make: Factory) -> Client:
    return Client(headers={"authorization": f"Bearer {create_token(make.make_user('carol'), 'test')}"})


def got(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"{HOME}{path}", body, content_type="application/json")


def test_a_log_is_loaded_labelled_withdrawn_and_restored(campaign: Campaign, client: Client) -> None:
    def load(content: bytes, key: str) -> Any:
        fields = {"file": SimpleUploadedFile("clicks.csv", content), "least_people": 2}
        return client.post(HOME, fields, headers={"Idempotency-Key": key})

    assert got(load(b"topic,session\n", "bad"), 422)["title"].startswith("The file was refused")
    assert got(load(LOG, "first"), 201)["number"] == 1
    assert got(load(LOG, "first"), 201)["number"] == 1  # sent again
    (listed,) = got(client.get(HOME))["items"]
    assert listed["withdrawn_at"] is None and listed["counts"]["used_lists"] == 3
    documents = got(client.get(f"{HOME}1/documents/"))["items"]
    assert [(each["docno"], each["impressions"], each["clicks"]) for each in documents] == [
        ("D1", 3, 2),
        ("D2", 3, 1),
    ]
    grades = {"name": "Clicks", "model": "coec", "least_impressions": 1}
    assert "set the thresholds yourself" in got(post(client, "1/labels/", **grades), 422)["detail"]
    few = post(client, "1/labels/", thresholds=[1], **grades)
    assert got(few, 422)["errors"][0]["loc"] == ["body", "thresholds"]
    stored = got(post(client, "1/labels/", thresholds=[0.5, 1, 2], **grades), 201)
    assert (stored["judge"], stored["labels"]) == ("tiny/Clicks", 2)
    assert got(post(client, "1/withdrawal/", reason="Robots.")) == {"labels": 2}
    assert got(post(client, "1/withdrawal/", reason="Robots."), 409)
    assert got(client.get(HOME))["items"][0]["withdrawal_reason"] == "Robots."
    assert got(client.post(f"{HOME}1/restoration/")) == {"labels": 2}

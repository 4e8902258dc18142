"""Near duplicates through the API: find, read, split, freeze, discard."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from assess.models import DuplicateClassification
from assess.near_duplicates import views
from pooling.models import Campaign
from tests.assess.near_duplicates.conftest import freeze, sample
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/near-duplicates/"


def made(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str = "", **body: Any) -> Any:
    return client.post(HOME + path, body, content_type="application/json")


def test_from_the_search_to_the_frozen_classes(pooled: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    made(client.get(HOME), 404)
    draft = made(post(client, threshold=0.8, share=0, seed=7), 201)
    assert (draft["frozen_at"], draft["errors"], draft["documents"]) == (None, None, 8)
    assert (draft["parameters"]["threshold"], draft["parameters"]["seed"]) == (0.8, 7)
    counts = {"classes": 1, "members": 3, "split": 0, "sampled": 0, "withheld": 3, "later": 0}
    assert draft["counts"] == counts
    assert "Other classes" in made(post(client, "freezing/", sha256="0" * 64), 422)["detail"]
    frozen = made(post(client, "freezing/", sha256=draft["sha256"]))
    assert frozen["frozen_at"] and frozen["errors"]["grade"]["n"] == 0
    assert made(client.get(HOME)) == frozen
    assert "frozen. Discard them first" in made(post(client), 422)["detail"]
    assert post(client, "discard/").status_code == 204
    assert not DuplicateClassification.objects.exists()


def test_classes_are_read_and_split(pooled: Campaign, make: Factory) -> None:
    freeze(pooled, make)
    sample("D2")
    client = client_of(make, "carol")
    (only,) = made(client.get(f"{HOME}classes/"))["items"]
    assert (only["topic"], only["representative"], only["size"], only["left"]) == ("1", "D1", 4, 4)
    assert {each["docno"]: each["state"] for each in only["members"]} == {
        "D2": "judged on purpose", "D3": "propagated", "D4": "propagated",
    }  # fmt: skip
    made(post(client, f"classes/{only['id']}/splits/", docno="D1"), 404)  # it stands for the others
    for _ in range(2):
        assert post(client, f"classes/{only['id']}/splits/", docno="D4").status_code == 204
    (only,) = made(client.get(f"{HOME}classes/"))["items"]
    assert only["left"] == 3 and only["members"][-1]["state"] == "split"


def test_after_the_first_label_nothing_is_found(pooled: Campaign, make: Factory) -> None:
    make.make_judgment(pooled, "alice", "1", "D5", 0)
    assert "Judging has begun" in made(post(client_of(make, "carol")), 422)["detail"]


def test_a_large_campaign_is_compared_by_a_job(
    pooled: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "BACKGROUND_DOCUMENTS", 3)
    client = client_of(make, "carol")
    job = made(post(client, seed=7), 202)
    assert made(client.get(f"/api/campaigns/tiny/jobs/{job['id']}/"))["message"] == "1 class found"
    assert made(client.get(HOME))["counts"]["classes"] == 1

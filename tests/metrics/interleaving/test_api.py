"""Interleaving through the API: from the lists to what users prefer, with the figures of the page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from metrics.interleaving.queries import interleaving_result
from pooling.models import Campaign
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/interleaving/"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D3 3\n1 D2 2\n1 D1 1\n2 D1 1", tag="other", group="otherlab")
    return campaign


def made(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str = "", **body: Any) -> Any:
    return client.post(HOME + path, body, content_type="application/json")


def load(client: Client, lines: list[str], path: str = "1/clicks/") -> Any:
    content = "\n".join(["list_id,clicks", *lines, ""]).encode()
    return client.post(HOME + path, {"file": SimpleUploadedFile("clicks.csv", content)})


def test_from_the_lists_to_what_users_prefer(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    stored = made(post(client, run_a="run", run_b="other", lists=2, seed=7), 201)
    assert (stored["number"], stored["topics"], stored["left_out"]) == (1, ["1"], ["2"])
    assert stored["list_count"] == 2 and stored["files"] == 0
    answer = client.get(f"{HOME}1/lists/")
    lists = [json.loads(line) for line in b"".join(answer).splitlines()]
    assert len(lists) == 2
    names = [each["list_id"] for each in lists]
    file = made(load(client, [f"{names[0]},1", f"{names[1]},1", f"{names[0]},"]), 201)
    assert (file["sessions"], file["name"], file["withdrawn_at"]) == (3, "clicks.csv", None)
    assert (
        "counted already"
        in made(load(client, [f"{names[0]},1", f"{names[1]},1", f"{names[0]},"]), 422)["detail"]
    )
    assert made(load(client, ["none,1"]), 422)["errors"][0]["line"] == 2
    found = interleaving_result(campaign.interleavings.get(), campaign)
    results = made(client.get(f"{HOME}1/results/"))
    for name, expected in (("overall", found.overall), ("by_topic", found.by_topic)):
        figures = (
            expected.counts.sessions,
            expected.counts.wins_a,
            expected.delta,
            expected.p,
            expected.reason,
        )
        assert tuple(results[name][key] for key in ("sessions", "wins_a", "delta", "p", "reason")) == figures
    assert results["overall"]["sessions"] == 3 and results["overall"]["clicked"] == 2
    assert [each["topic"] for each in results["topics"]] == ["1"]
    assert (results["release"], results["scores"], results["answer"]) == (None, [], found.answer)


def test_a_file_of_clicks_is_withdrawn_restored_and_replaced(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    make.make_interleaving(campaign, "run", "other")
    clicks = make.make_clicks(campaign)
    place = f"1/clicks/{clicks.pk}/"
    made(post(client, f"{place}restoration/"), 422)
    withdrawn = made(post(client, f"{place}withdrawal/", reason="Robots."))
    assert withdrawn["withdrawn_at"] and withdrawn["withdrawal_reason"] == "Robots."
    assert made(client.get(f"{HOME}1/results/"))["overall"]["sessions"] == 0
    assert made(post(client, f"{place}restoration/"))["withdrawn_at"] is None
    name = json.loads(b"".join(client.get(f"{HOME}1/lists/")).splitlines()[0])["list_id"]
    newer = made(load(client, [f"{name},1", f"{name},2"], f"{place}replacement/"), 201)
    files = {each["id"]: each["withdrawn_at"] for each in made(client.get(f"{HOME}1/clicks/"))["items"]}
    assert files[newer["id"]] is None and files[clicks.pk]


def test_runs_that_cannot_be_compared_are_refused(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    assert "two different runs" in made(post(client, run_a="run", run_b="run"), 422)["detail"]
    wrong = made(post(client, run_a="run", run_b="none"), 422)["errors"]
    assert [fault["loc"] for fault in wrong] == [["body", "run_b"]]
    made(post(client, run_a="run", run_b="other", method="dice"), 422)

"""System quality through the API: figures are loaded, compared with scores, and removed."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from metrics.models import SystemFigures
from pooling.models import Campaign
from tests.config.test_api_writes import client_of
from tests.metrics.system_quality.test_pages import TABLE
from tests.metrics.system_quality.test_pages import campaign as campaign
from tests.support.factory import Factory

PLACE = "/api/campaigns/tiny/system-quality/"


def got(client: Client, status: int = 200, **asked: Any) -> Any:
    answer = client.get(PLACE, asked)
    assert answer.status_code == status, answer.content
    return answer.json()


def load(client: Client, content: bytes = TABLE) -> Any:
    return client.post(PLACE, {"file": SimpleUploadedFile("costs.csv", content)})


def test_from_the_table_to_the_front(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    assert got(client)["cost"] is None
    loaded = load(client)
    assert (loaded.status_code, loaded.json()["runs"], loaded.json()["changed"]) == (201, 3, 3)
    assert load(client).json()["changed"] == 0
    found = got(client, measures="AP")
    assert (found["release"], found["measure"], found["cost"]) == (1, "AP", "latency_ms")
    runs = {each["run"]: each for each in found["runs"]}
    assert {tag for tag, each in runs.items() if each["undominated"]} == {"run", "other"}
    assert runs["silent"]["cost"] is None and runs["silent"]["undominated"] is None
    assert runs["run"]["figures"] == {"latency_ms": 30, "index_bytes": 2e9, "throughput_qps": 9}
    faster = got(client, measures="AP", cost="throughput_qps", group="davelab")
    assert {each["run"] for each in faster["runs"]} == {"other", "third", "silent"}
    assert [each["lower"] for each in faster["costs"] if each["key"] == "throughput_qps"] == [False]


def test_what_nobody_knows_is_refused(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    load(client)
    for asked in ({"cost": "luck"}, {"group": "none"}, {"measures": "nothing@3"}):
        got(client, 422, **asked)
    got(client, 404, release=7)
    refused = load(client, b"run,latency_ms\nnone,12\n")
    assert refused.status_code == 422 and refused.json()["errors"][0]["line"] == 2


def test_figures_are_removed(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    load(client)
    assert client.delete(f"{PLACE}run/").status_code == 204
    assert not SystemFigures.objects.filter(run__tag="run").exists()
    assert client.delete(f"{PLACE}run/").status_code == 422
    assert client.delete(f"{PLACE}none/").status_code == 404

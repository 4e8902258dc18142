"""Numbers for Prometheus: for who has the token, over all processes of the server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import requests
from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import REGISTRY
from pytest_django import Settings

from assess.services.judging import SubmittedJudgment, record_judgment
from config.operations.middleware import request_metrics
from tests.support.factory import Factory
from tests.support.markup import markup
from tests.support.server import Server

TOKEN = {"Authorization": "Bearer letmein-letmein"}


@pytest.fixture
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = "letmein-letmein"


def numbers(text: str) -> dict[str, float]:
    """Return name{labels} -> value."""
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if not line.startswith("#")
    }


@pytest.mark.django_db
def test_without_the_token_there_are_no_numbers(client: Client, token: None) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "letmein-letmein"}):
        response = client.get("/metrics/", headers=headers)
        assert (response.status_code, response.content) == (401, b"")
    assert client.get("/metrics/", headers=TOKEN).status_code == 200


@pytest.mark.django_db
def test_an_empty_token_in_the_settings_opens_nothing(client: Client) -> None:
    assert client.get("/metrics/", headers={"Authorization": "Bearer "}).status_code == 404


def test_who_does_not_want_numbers_pays_nothing_for_them() -> None:
    with pytest.raises(MiddlewareNotUsed):
        request_metrics(lambda request: None)  # type: ignore[arg-type, return-value]


@pytest.mark.django_db
def test_made_up_methods_are_counted_as_one(client: Client, token: None) -> None:
    guard = request_metrics(lambda request: HttpResponse())
    for number in range(5):
        guard(RequestFactory().generic(f"MADE-UP-{number}", "/"))
    text = markup(client.get("/metrics/", headers=TOKEN))
    assert "MADE-UP" not in text
    assert numbers(text)['jurypool_request_seconds_count{method="other",route="",status="200"}'] >= 5


def test_jobs_are_counted_by_state(make: Factory, client: Client, token: None) -> None:
    campaign = make.make_campaign()
    make.make_job(campaign)
    make.make_job(campaign, state="failed")
    text = markup(client.get("/metrics/", headers=TOKEN))
    found = numbers(text)
    assert found['jurypool_jobs{state="waiting"}'] == found['jurypool_jobs{state="failed"}'] == 1
    assert found['jurypool_jobs{state="running"}'] == 0
    assert ("jurypool_database_connections" in found) is (connection.vendor == "postgresql")
    assert {family.name for family in text_string_to_metric_families(text)} >= {
        "jurypool_labels_saved",
        "jurypool_labels_refused",
        "jurypool_request_seconds",
    }


def counted(name: str) -> float:
    return REGISTRY.get_sample_value(name) or 0


def test_a_label_is_counted_once_however_often_it_is_sent(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    before = counted("jurypool_labels_saved_total")
    judgment = make.make_judgment(campaign, "alice", "1", "D1", 3)
    event = judgment.event
    press = SubmittedJudgment(event.uuid, "D1", event.text_hash, 3)
    assert record_judgment(make.entry(campaign, "alice", "1", "D1"), press) == event
    assert counted("jurypool_labels_saved_total") == before + 1


def test_a_label_that_is_refused_is_counted(make: Factory, client: Client) -> None:
    make.make_pooled_campaign()
    before = counted("jurypool_labels_refused_total"), counted("jurypool_labels_saved_total")
    judge = make.make_user("alice")
    client.force_login(judge)
    parcel = {
        "judge": judge.pk,
        "topic": "1",
        "have": [],
        "want": 4,
        "labels": [{"relevance": 3, "entry": 0}],
    }
    assert client.post("/campaigns/tiny/judge/outbox/", parcel, "application/json").status_code == 200
    after = counted("jurypool_labels_refused_total"), counted("jurypool_labels_saved_total")
    assert after == (before[0] + 1, before[1])


@pytest.mark.slow
def test_the_processes_of_a_server_count_together(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.environment |= {"JURYPOOL_METRICS_TOKEN": "letmein-letmein"}
    server.environment["TMPDIR"] = str(tmp_path)  # it is killed, and leaves its counters there
    try:
        server.start()
        for _ in range(40):  # a connection each, so that both processes get some
            requests.get(f"{server.url}/sign-in/", timeout=60)
        requests.get(f"{server.url}/nowhere/", timeout=60)
        said = [requests.get(f"{server.url}/metrics/", headers=TOKEN, timeout=60).text for _ in range(6)]
    finally:
        server.kill()
    name = 'jurypool_request_seconds_count{method="GET",route="accounts:sign_in",status="200"}'
    seen = {numbers(text)[name] for text in said}
    assert seen == {40}  # whichever process answers
    assert 'jurypool_jobs{state="waiting"} 0.0' in said[0]
    assert re.search(r'route="",status="(404|302)"', said[0])

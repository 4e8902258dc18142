"""Other tools are told of releases, finished topics and failed jobs: signed, in order, once each."""

from __future__ import annotations

import base64
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from assess.models import QrelsRelease, Webhook
from assess.services.audiences import change_audience
from assess.webhooks.services import WebhookRefused, add_webhook, deliver
from config.archives.tables import campaign_models
from pooling.models import Campaign, Job
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/webhooks/"


class Receiver:
    """A tool that takes webhooks, and what it got. status: what it answers next."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                self.send_response(receiver.status)
                if receiver.status == 302:
                    self.send_header("Location", receiver.url)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        bodies = [json.loads(body) for _, body in self.got]
        return [(body["type"], body["data"]) for body in bodies]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


@pytest.fixture
def campaign(make: Factory, settings: Settings) -> Campaign:
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 1)
    return campaign


@pytest.fixture
def webhook(campaign: Campaign, receiver: Receiver, make: Factory) -> Webhook:
    return add_webhook(campaign, receiver.url, make.make_user("carol"))


def finish(campaign: Campaign, make: Factory, topic: str, *docnos: str) -> None:
    for docno in docnos:
        for judge in ("alice", "bob"):
            make.make_judgment(campaign, judge, topic, docno, 1)


def test_each_event_is_told_once_and_signed(
    campaign: Campaign, webhook: Webhook, receiver: Receiver, make: Factory
) -> None:
    assert deliver(webhook) == 0 and receiver.got == []
    finish(campaign, make, "2", "D1")
    release = make.make_release(campaign)
    make.make_job(campaign, state=Job.State.FAILED, finished_at=timezone.now(), message="The disk is full.")
    assert deliver(webhook) == 4
    assert [kind for kind, _ in receiver.told()] == [
        "release.created", "release.shared", "topic.finished", "job.failed",
    ]  # fmt: skip
    data = dict(receiver.told())
    assert data["release.created"]["number"] == release.number
    assert data["topic.finished"] == {"topic": "2", "judged": 1}
    assert data["job.failed"]["message"] == "The disk is full."
    for headers, body in receiver.got:
        content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = base64.b64encode(hmac.digest(webhook.secret.encode(), content, "sha256")).decode()
        assert headers["webhook-signature"] == f"v1,{expected}"
    assert deliver(Webhook.objects.get()) == 0


@pytest.mark.parametrize("status", [500, 404, 302])
def test_what_fails_is_told_again_with_the_same_id_and_in_order(
    campaign: Campaign, webhook: Webhook, receiver: Receiver, make: Factory, status: int
) -> None:
    release = make.make_release(campaign)
    receiver.status = status
    assert deliver(webhook) == 0
    assert len(receiver.got) == 1 and webhook.problem == f"The address answered {status}."
    receiver.status = 200
    change_audience(release, QrelsRelease.State.PUBLIC, make.make_user("carol"))
    out = StringIO()
    call_command("run_every_minute", stdout=out)
    assert "tiny: " in out.getvalue() and "3 sent" in out.getvalue()
    ids = [headers["webhook-id"] for headers, _ in receiver.got]
    assert ids[0] == ids[1] and len(set(ids)) == 3
    assert [kind for kind, _ in receiver.told()][1:] == [
        "release.created", "release.shared", "release.published",
    ]  # fmt: skip
    assert Webhook.objects.get().problem == ""


def test_an_address_that_nobody_answers_is_a_problem_and_no_error(
    campaign: Campaign, webhook: Webhook, make: Factory
) -> None:
    make.make_release(campaign)
    Webhook.objects.update(url="http://127.0.0.1:9/")
    webhook = Webhook.objects.get()
    assert deliver(webhook) == 0
    assert webhook.problem == "No connection to the address could be opened."


def test_only_hosts_that_the_administrator_named_are_asked(
    campaign: Campaign, webhook: Webhook, receiver: Receiver, make: Factory, settings: Settings
) -> None:
    with pytest.raises(WebhookRefused, match="JURYPOOL_WEBHOOK_HOSTS"):
        add_webhook(campaign, "http://169.254.169.254/latest/", make.make_user("carol"))
    settings.WEBHOOK_HOSTS = []
    make.make_release(campaign)
    assert deliver(webhook) == 0 and receiver.got == []
    assert "no longer allows" in webhook.problem


def test_the_page_adds_tests_and_removes(
    campaign: Campaign, receiver: Receiver, make: Factory, settings: Settings
) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    for _ in range(2):
        page = markup(client.post(URL, {"url": receiver.url}, follow=True))
    webhook = Webhook.objects.get()
    assert webhook.secret in page and "topic.finished" in page
    page = markup(client.post(f"{URL}{webhook.pk}/test/", follow=True))
    assert "took the test" in page and receiver.told() == [("test", {})]
    page = markup(client.post(URL, {"url": "https://evil.example/"}))
    assert "JURYPOOL_WEBHOOK_HOSTS" in page
    client.post(f"{URL}{webhook.pk}/remove/")
    assert not Webhook.objects.exists()
    settings.WEBHOOK_HOSTS = []
    assert "has allowed no host" in markup(client.get(URL))


def test_no_export_of_a_campaign_has_webhooks() -> None:
    assert Webhook not in campaign_models()

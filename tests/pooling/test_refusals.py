"""A refusal is shown with its message; an error in the program is logged, and its message is not shown."""

from __future__ import annotations

import logging
from importlib import import_module

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.test import Client

from pooling import tasks
from pooling.models import Campaign, Job, Pool
from pooling.refusals import Refused
from pooling.services.jobs import start_job
from tests.support.factory import Factory
from tests.support.markup import markup

SHAPES = "operands could not be broadcast"
REFUSED = "expected something else"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "1 D1 2.0\n1 D2 1.0")
    return campaign


def fails(*args: object, **options: object) -> None:
    """Fail as a fault in numeric code does: with a ValueError of NumPy."""
    np.zeros(2) + np.zeros(3)


def refuses(*args: object, **options: object) -> None:
    raise Refused(REFUSED)


def import_nothing(campaign: Campaign, make: Factory) -> Job:
    about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": False}
    carol = make.make_user("carol")
    return start_job(campaign, carol, tasks.import_documents, "Load documents", about, ContentFile(b""))


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the tracebacks that were logged as errors."""
    return [caplog.handler.format(each) for each in caplog.records if each.levelno >= logging.ERROR]


def client_of(make: Factory) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(make.make_user("carol"))
    return client


def test_an_error_in_a_job_is_logged_and_its_message_is_not_shown(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pooling.services.documents.import_documents", fails)
    job = import_nothing(campaign, make)
    job.refresh_from_db()
    assert job.state == "failed"
    assert SHAPES not in job.message and "internal error" in job.message
    assert any(SHAPES in text and "Traceback" in text for text in errors(caplog))


def test_a_refusal_in_a_job_is_shown_and_not_logged_as_an_error(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pooling.services.documents.import_documents", refuses)
    job = import_nothing(campaign, make)
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", REFUSED)
    assert not errors(caplog)


@pytest.mark.parametrize(
    ("address", "service"),
    [
        ("pool/draft/", "pooling.views.pools.draft_of"),
        ("pool/", "pooling.views.pools.draft_of"),
        ("pool/strategies/", "pooling.views.pools.compare_plans"),
    ],
)
def test_an_error_in_a_draft_is_a_server_error_and_logged(
    campaign: Campaign,
    make: Factory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    address: str,
    service: str,
) -> None:
    monkeypatch.setattr(service, fails)
    draft = {"strategy": "depth", "k": "2", "seconds": "30"}
    response = client_of(make).get(f"/campaigns/{campaign.slug}/{address}", draft)
    assert response.status_code == 500
    assert SHAPES not in markup(response)
    assert any(SHAPES in text for text in errors(caplog))


def test_an_error_while_freezing_is_a_server_error(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pooling.views.pools.freeze_pool", fails)
    draft = {"strategy": "depth", "k": "2", "seconds": "30", "confirmed": "yes"}
    response = client_of(make).post(f"/campaigns/{campaign.slug}/pool/", draft)
    assert response.status_code == 500
    assert not Pool.objects.exists()


def test_a_command_ends_with_the_message_of_a_refusal_and_with_the_traceback_of_an_error(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pooling.management.commands.freeze_pool.freeze_pool", refuses)
    with pytest.raises(CommandError, match=REFUSED):
        call_command("freeze_pool", campaign.slug)
    monkeypatch.setattr("pooling.management.commands.freeze_pool.freeze_pool", fails)
    with pytest.raises(ValueError, match=SHAPES):
        call_command("freeze_pool", campaign.slug)


def test_the_labels_of_a_page_with_an_error_in_the_program_are_no_bad_request(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("assess.views.payloads"), "parse_payload", fails)
    client = Client(raise_request_exception=False)
    client.force_login(make.make_user("alice"))
    response = client.post(f"/campaigns/{campaign.slug}/judge/outbox/", b"{}", "application/json")
    assert response.status_code == 500

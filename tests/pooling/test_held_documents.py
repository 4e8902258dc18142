"""A file of documents that is loaded before the first pool is checked, and used when a pool is frozen."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.services import create_token
from assess.queries.campaigns import deletion_obstacle
from pooling import tasks
from pooling.models import Campaign, Job
from pooling.services import jobs
from pooling.services.documents import import_upload
from pooling.services.jobs import run_attempt, start_job
from tests.support.factory import Factory
from tests.support.markup import markup

TEXTS = b'{"docno": "D1", "text": "boats"}\n{"docno": "D8", "text": "trains"}\n'


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_run(campaign, "1 D1 2\n1 D2 1")
    return campaign


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def load(carol: Client, content: bytes = TEXTS, name: str = "d.jsonl", **choices: str) -> str:
    form = {"keep": "pooled"} | choices | {"file": SimpleUploadedFile(name, content)}
    return markup(carol.post("/campaigns/tiny/documents/report/", form))


def check_held(campaign: Campaign) -> None:
    job = campaign.jobs.get()
    assert job.state == Job.State.HELD and not campaign.documents.exists()
    assert job.message == "2 documents read. The pooled ones are stored when the first pool is frozen."


def check_stored(campaign: Campaign, make: Factory) -> None:
    make.make_pool(campaign)
    job = campaign.jobs.get()
    assert (job.state, job.message) == (Job.State.DONE, "2 documents read, 1 stored")
    assert campaign.documents.get().text == "boats"


def test_the_page_says_which_files_are_kept_and_which_are_stored_at_once(
    campaign: Campaign, carol: Client
) -> None:
    page = " ".join(markup(carol.get("/campaigns/tiny/documents/")).split())
    assert "with <i>pooled documents only</i> they are kept until the first pool is frozen" in page
    assert "with <i>every document</i> all texts are stored at once" in page
    load(carol, keep="all")
    assert campaign.documents.count() == 2 and not campaign.jobs.exists()


def test_the_pool_says_that_a_kept_file_brings_the_texts(carol: Client) -> None:
    draft = {"strategy": "depth", "k": "10", "seconds": "36"}
    url = reverse("pooling:pool", args=["tiny"])
    assert "Load the documents before you assign topics." in markup(carol.post(url, draft))
    load(carol)
    page = markup(carol.post(url, draft))
    assert "have no text yet: the file that waits is loaded when the pool is frozen." in page
    assert "Load the documents before" not in page


def test_a_file_on_the_page_is_kept_and_used_at_the_freeze(
    carol: Client, campaign: Campaign, make: Factory
) -> None:
    assert "<b>d.jsonl</b> is kept; the list of jobs below" in load(carol)
    assert markup(carol.get("/campaigns/tiny/documents/")).count("2 documents read.") == 1
    check_held(campaign)
    page = markup(carol.get("/campaigns/tiny/documents/"))
    assert "held until a pool is frozen" in page and "Discard the file" in page and "every 1s" not in page
    load(carol)  # again
    check_held(campaign)
    check_stored(campaign, make)
    assert "Discard the file" not in markup(carol.get("/campaigns/tiny/documents/"))


def test_a_file_by_the_api(campaign: Campaign, make: Factory) -> None:
    script = Client(headers={"Authorization": f"Bearer {create_token(make.make_user('carol'), 'script')}"})
    answer = script.post("/api/campaigns/tiny/documents/", {"file": SimpleUploadedFile("d.jsonl", TEXTS)})
    assert answer.status_code == 202 and answer.json()["state"] == "held"
    check_held(campaign)
    check_stored(campaign, make)


def test_a_file_by_the_command(campaign: Campaign, make: Factory, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(TEXTS)
    said = StringIO()
    call_command("import_documents", "tiny", str(tmp_path / "d.jsonl"), "--as", "carol", stdout=said)
    assert "d.jsonl is kept: 2 documents read." in said.getvalue()
    check_held(campaign)
    check_stored(campaign, make)


def test_a_large_file_is_checked_by_the_worker(
    carol: Client, campaign: Campaign, make: Factory, settings: Settings
) -> None:
    settings.BACKGROUND_BYTES = 10
    load(carol)
    check_held(campaign)
    check_stored(campaign, make)


def test_a_pool_that_is_frozen_while_the_worker_checks_is_used(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = tasks.import_documents  # the task keeps its path
    about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": True}

    def checked_during_a_freeze(*args: object) -> str:
        make.make_pool(campaign)
        return "2 documents read."

    monkeypatch.setattr("pooling.services.documents.check_documents", checked_during_a_freeze)
    job = start_job(campaign, make.make_user("carol"), check, "Load", about, ContentFile(TEXTS))
    assert (job.state, job.message) == (Job.State.DONE, "2 documents read, 1 stored")


@pytest.mark.parametrize("size", [10, 10_000])
def test_a_file_with_a_fault_is_refused_at_once(
    carol: Client, campaign: Campaign, settings: Settings, size: int
) -> None:
    settings.BACKGROUND_BYTES = size
    page = load(carol, TEXTS + b'{"docno": \n')
    states = list(campaign.jobs.values_list("state", flat=True))
    assert states == (["failed"] if size == 10 else []) and ("refused, line 3" in page) == (size != 10)


def test_a_command_refuses_a_file_with_a_fault(campaign: Campaign, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(b'{"docno": \n')
    with pytest.raises(CommandError, match="line 1"):
        call_command("import_documents", "tiny", str(tmp_path / "d.jsonl"), "--as", "carol")
    assert not campaign.jobs.exists()


def test_what_was_odd_in_the_file_is_said_at_once(carol: Client, campaign: Campaign) -> None:
    long = json.dumps({"docno": "D1", "text": "boats", "transcript": "words " * 200}).encode()
    load(carol, long + b'\n{"docno": "D1", "text": "caf\xe9"}\n')
    page = markup(carol.get("/campaigns/tiny/documents/"))  # the script shows its list of jobs after a load
    assert "1 with invalid UTF-8 characters, which were replaced; 1 with a docno that occurred before" in page
    assert "fields with long texts not read: transcript (1)" in page


def test_every_document_is_stored_at_once_where_that_was_chosen(carol: Client, campaign: Campaign) -> None:
    assert "2 documents read, 2 stored" in load(carol, keep="all")
    assert campaign.documents.count() == 2 and not campaign.jobs.exists()


def test_a_kept_file_can_be_discarded(carol: Client, campaign: Campaign, make: Factory) -> None:
    load(carol)
    job = campaign.jobs.get()
    assert "not finished yet" in deletion_obstacle(campaign)
    carol.post(reverse("pooling:job_cancel", args=["tiny", job.pk]))
    make.make_pool(campaign)
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED and not campaign.documents.exists()
    assert not deletion_obstacle(campaign)


def test_a_kept_file_waits_for_months_and_its_upload_stays(
    carol: Client, campaign: Campaign, make: Factory, settings: Settings
) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    load(carol)
    Job.objects.update(created_at=timezone.now() - timedelta(days=200))
    for _ in range(5):
        jobs.requeue_abandoned()
        jobs.delete_uploads()
    check_held(campaign)
    assert default_storage.exists(campaign.jobs.get().upload.name or "")
    make.make_pool(campaign)
    job = campaign.jobs.get()
    assert job.state == Job.State.WAITING
    run_attempt(job.pk, job.task_id, import_upload)
    assert campaign.documents.get().text == "boats"


def test_files_are_used_in_the_order_in_which_they_were_loaded(
    carol: Client, campaign: Campaign, make: Factory
) -> None:
    load(carol)
    load(carol, b'{"docno": "D1", "text": "ships"}\n', "newer.jsonl")
    make.make_pool(campaign)
    assert campaign.documents.get().text == "ships"

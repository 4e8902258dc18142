"""Labels of texts that were replaced."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings

from assess.models import Judgment
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import labels_of_earlier_texts
from assess.services.imports import load_judgments
from pooling import tasks
from pooling.models import Campaign, Job
from pooling.services.documents import document_reader, import_documents, import_upload
from pooling.services.jobs import advance, run_attempt, start_job
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign
from tests.support.markup import markup

TEXT = b'{"docno": "D1", "text": "Another text."}\n'


def build_campaign(make: Factory) -> Campaign:
    return make_lived_campaign(make)


def test_labels_are_of_an_earlier_text_as_soon_as_another_is_imported(campaign: Campaign) -> None:
    before = len(labels_of_earlier_texts(CampaignReads(campaign)))
    import_documents(campaign, lambda: document_reader(BytesIO(TEXT), "d.jsonl"))
    assert len(labels_of_earlier_texts(CampaignReads(campaign))) == before + 2


def test_the_texts_of_an_import_that_broke_off_are_seen(
    campaign: Campaign, make: Factory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(labels_of_earlier_texts(CampaignReads(campaign)))
    monkeypatch.setattr("pooling.services.documents.BATCH_SIZE", 1)
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}  # nobody begins it
    about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": False, "replace": True}
    carol, files = make.make_user("carol"), ContentFile(TEXT + TEXT.replace(b"D1", b"D2"))
    job = start_job(campaign, carol, tasks.import_documents, "Load documents", about, files)

    def dies(job: Job, done: int, *more: Any) -> None:
        if done == 2:
            raise OperationalError("as if the database had gone")
        advance(job, done, *more)

    monkeypatch.setattr("pooling.services.documents.advance", dies)
    with pytest.raises(OperationalError):
        run_attempt(job.pk, job.task_id, import_upload)
    assert len(labels_of_earlier_texts(CampaignReads(campaign))) == before + 2


def test_a_text_with_labels_is_replaced_only_by_choice(
    campaign: Campaign, make: Factory, client: Client
) -> None:
    client.force_login(make.make_user("carol"))
    before = campaign.documents.get(docno="D1").text
    page = load(client)
    assert "1 stored text would be replaced, and 2 labels of people were given for it" in page
    assert 'data-field="replace"' in page and "Replace 1 text" in page
    assert campaign.documents.get(docno="D1").text == before
    page = load(client, replace="on")
    assert "1 stored: 0 new, 0 unchanged, 1 replaced" in page
    assert campaign.documents.get(docno="D1").text != before
    assert "1 stored: 0 new, 1 unchanged, 0 replaced" in load(client)  # the same text needs no question


def test_a_text_of_which_only_imports_and_machines_have_labels_is_replaced(
    campaign: Campaign, make: Factory, client: Client
) -> None:
    client.force_login(make.make_user("carol"))
    Judgment.objects.all().delete()
    load_judgments(campaign, make.make_user("carol"), b"1 0 D1 2\n", "q", "NIST")
    make.make_machine(campaign, "1 0 D1 1\n")
    assert "1 replaced" in load(client)


def test_a_job_does_not_replace_texts_with_labels(campaign: Campaign, make: Factory) -> None:
    about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": True}
    job = start_job(
        campaign, make.make_user("carol"), tasks.import_documents, "Load", about, ContentFile(TEXT)
    )
    job.refresh_from_db()
    assert job.state == job.State.FAILED and "2 labels of people were given for it" in job.message


def load(client: Client, **fields: str) -> str:
    """Submit the form of the page; return its report."""
    file = SimpleUploadedFile("d.jsonl", TEXT)
    url = "/campaigns/tiny/documents/report/"
    return " ".join(markup(client.post(url, {"file": file, "keep": "pooled", **fields})).split())

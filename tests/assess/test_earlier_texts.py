"""Labels of texts that were replaced."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import OperationalError
from pytest_django import Settings

from assess.queries.labels import count_labels_of_earlier_texts
from pooling import tasks
from pooling.models import Campaign, Job
from pooling.services.documents import document_reader, import_documents, import_upload
from pooling.services.jobs import advance, run_attempt, start_job
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign

TEXT = b'{"docno": "D1", "text": "Another text."}\n'


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make_lived_campaign(make)


def test_labels_are_of_an_earlier_text_as_soon_as_another_is_imported(campaign: Campaign) -> None:
    before = count_labels_of_earlier_texts(campaign)
    import_documents(campaign, lambda: document_reader(BytesIO(TEXT), "d.jsonl"))
    assert count_labels_of_earlier_texts(campaign) == before + 2


def test_the_texts_of_an_import_that_broke_off_are_seen(
    campaign: Campaign, make: Factory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = count_labels_of_earlier_texts(campaign)
    monkeypatch.setattr("pooling.services.documents.BATCH_SIZE", 1)
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}  # nobody begins it
    about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": False}
    carol, files = make.make_user("carol"), ContentFile(TEXT + TEXT.replace(b"D1", b"D2"))
    job = start_job(campaign, carol, tasks.import_documents, "Load documents", about, files)

    def dies(job: Job, done: int, *more: Any) -> None:
        if done == 2:
            raise OperationalError("as if the database had gone")
        advance(job, done, *more)

    monkeypatch.setattr("pooling.services.documents.advance", dies)
    with pytest.raises(OperationalError):
        run_attempt(job.pk, job.task_id, import_upload)
    assert count_labels_of_earlier_texts(campaign) == before + 2

"""Columns in a file, and labels of texts that were replaced."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import OperationalError
from pytest_django import Settings

from assess.queries import labels_of_earlier_texts
from assess.queries.column_files import read_columns, write_columns
from assess.queries.pooled_columns import pooled_columns
from assess.services import load_probes
from pooling import tasks
from pooling.models import Campaign, Job, PooledDocument
from pooling.services import (
    advance,
    import_documents,
    import_upload,
    reading_of,
    start_job,
    work,
)
from tests.factory import Factory
from tests.lived import make_lived_campaign

TEXT = b'{"docno": "D1", "text": "Another text."}\n'
NUMBERS = {"key": np.arange(3), "share": np.array([0.5, np.nan, 1])}


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make_lived_campaign(make)


def test_columns_come_back_as_they_were(campaign: Campaign, settings: Settings) -> None:
    write_columns(campaign, "numbers", NUMBERS)
    found = read_columns(campaign, "numbers", NUMBERS)
    assert found
    assert all(np.array_equal(found[name], column, equal_nan=True) for name, column in NUMBERS.items())
    assert [path.name for path in Path(settings.KEPT_ROOT).iterdir()] == [f"numbers-{campaign.pk}.columns"]


@pytest.mark.parametrize(
    "other",
    [
        {"key": NUMBERS["key"]},
        {**NUMBERS, "more": NUMBERS["key"]},
        {**NUMBERS, "key": NUMBERS["share"]},
    ],
    ids=["fewer", "more", "another type"],
)
def test_columns_of_another_kind_are_left(campaign: Campaign, other: dict[str, np.ndarray]) -> None:
    write_columns(campaign, "numbers", other)
    assert read_columns(campaign, "numbers", NUMBERS) is None


def test_columns_of_another_stamp_are_left(campaign: Campaign) -> None:
    write_columns(campaign, "numbers", NUMBERS, ("a seal", 7))
    assert read_columns(campaign, "numbers", NUMBERS, ("a seal", 7))
    for stamp in ("a seal", ("a seal", 8), ("another", 7), ""):
        assert read_columns(campaign, "numbers", NUMBERS, stamp) is None


def test_labels_are_of_an_earlier_text_as_soon_as_another_is_imported(campaign: Campaign) -> None:
    before = labels_of_earlier_texts(campaign)
    import_documents(campaign, lambda: reading_of(BytesIO(TEXT), "d.jsonl"))
    assert labels_of_earlier_texts(campaign) == before + 2


def test_the_texts_of_an_import_that_broke_off_are_seen(
    campaign: Campaign, make: Factory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = labels_of_earlier_texts(campaign)
    monkeypatch.setattr("pooling.services.documents.STORED_AT_ONCE", 1)
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
        work(job.pk, import_upload)
    assert labels_of_earlier_texts(campaign) == before + 2


def is_as_stored(campaign: Campaign) -> bool:
    """Whether the columns are what the tables say, line by line."""
    place_of = {pk: place for place, pk in enumerate(campaign.topics.values_list("pk", flat=True))}
    rows = PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk")
    stored = [
        (row.pk, place_of[row.topic_id], row.docno.encode(), row.best_rank or 0, row.pool_id) for row in rows
    ]
    return stored == list(zip(*(column.tolist() for column in pooled_columns(campaign)), strict=True))


def test_a_document_that_is_pooled_later_is_in_the_columns(campaign: Campaign, make: Factory) -> None:
    assert is_as_stored(campaign)
    before = len(pooled_columns(campaign).pk)
    load_probes(campaign, make.make_user("carol"), "gold", b"2 D2 2\n")
    assert is_as_stored(campaign)
    cache.clear()
    assert is_as_stored(campaign)
    assert len(pooled_columns(campaign).pk) == before + 1

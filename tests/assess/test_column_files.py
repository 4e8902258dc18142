"""Columns left in a file for other processes: believed only where they are what the database says."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from assess.event_columns import EventColumns
from assess.models import JudgmentEvent
from assess.queries import earlier_texts, event_logs, labels_of_earlier_texts
from assess.queries import pooled_columns as pooled_columns_module
from assess.queries.column_files import read_columns, write_columns
from assess.queries.event_logs import log_of
from assess.queries.pooled_columns import PooledColumns, pooled_columns
from assess.services import load_judgments, load_probes
from config.archives import back_up
from metrics.services import leave_behind
from pooling import tasks
from pooling.columns import as_words, whole_words
from pooling.models import Campaign, Job, PooledDocument
from pooling.services import (
    advance,
    import_documents,
    import_upload,
    note,
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


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """After which key events are read, time after time. A file is written of any number of events."""
    since: list[int] = []
    read = event_logs._read

    def noted(campaign: Campaign, key: int) -> EventColumns:
        since.append(key)
        return read(campaign, key)

    monkeypatch.setattr(event_logs, "_read", noted)
    monkeypatch.setattr(event_logs, "MANY", 0)
    monkeypatch.setattr(event_logs, "REREAD", 2)
    return since


def file_of(campaign: Campaign, settings: Settings) -> Path:
    return Path(settings.KEPT_ROOT) / f"events-{campaign.pk}.columns"


def anew(campaign: Campaign) -> EventColumns:
    return event_logs._read(campaign, 0)


def test_another_process_reads_only_what_is_new(campaign: Campaign, make: Factory, asked: list[int]) -> None:
    log_of(campaign)
    cache.clear()
    make.make_judgment(campaign, "bob", "2", "D1", 3)
    asked.clear()
    found = log_of(campaign)
    (since,) = asked
    assert since > 0
    assert found.equals(anew(campaign))


def test_a_deed_of_the_organiser_does_not_read_everything_again(
    campaign: Campaign, make: Factory, asked: list[int]
) -> None:
    log_of(campaign)
    note(campaign, make.make_user("carol"), "changed", "something")
    asked.clear()
    assert log_of(campaign).equals(anew(campaign))
    assert asked[0] > 0
    assert len(asked) == 2  # the second is the test's own


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY", b"nonsense"])
def test_a_broken_file_is_as_good_as_none(
    campaign: Campaign, settings: Settings, asked: list[int], content: bytes
) -> None:
    file_of(campaign, settings).parent.mkdir()
    file_of(campaign, settings).write_bytes(content)
    assert log_of(campaign).equals(anew(campaign))
    assert read_columns(campaign, "events", log_of(campaign)._asdict())


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_byte_that_fell_over_is_noticed(
    campaign: Campaign, settings: Settings, asked: list[int], place: float
) -> None:
    log_of(campaign)
    path = file_of(campaign, settings)
    content = bytearray(path.read_bytes())
    for at in range(round(place * len(content)), round(place * len(content)) + 40):
        content[at] ^= 0xFF
    path.write_bytes(content)
    cache.clear()
    assert log_of(campaign).equals(anew(campaign))


def test_the_file_of_another_database_is_not_believed(
    campaign: Campaign, make: Factory, asked: list[int]
) -> None:
    log = log_of(campaign)
    lies = {
        "fewer": log.where(log.key != log.key[-2]),
        "a key that nobody has": log.followed_by(log.where(slice(-1, None))._replace(key=log.key[-1:] + 1)),
        "another judge": log._replace(judge=np.append(log.judge[:-1], log.judge[-1] + 1)),
        "another time": log._replace(at=np.append(log.at[:-1], log.at[-1] + 1e-3)),
        "nothing": log.where(slice(0)),
    }
    for what, lie in lies.items():
        write_columns(campaign, "events", lie._asdict())
        cache.clear()
        assert log_of(campaign).equals(anew(campaign)), what


def test_labels_that_come_behind_later_ones_are_read(
    campaign: Campaign, make: Factory, asked: list[int]
) -> None:
    """A file of labels comes in a long transaction: its keys are older than what is in the file already."""
    load_judgments(campaign, make.make_user("carol"), b"2 0 D1 1\n", "more.qrels", "more")
    make.make_judgment(campaign, "bob", "1", "D3", 2)
    make.make_judgment(campaign, "bob", "2", "D1", 3)
    make.make_judgment(campaign, "bob", "2", "D1", 2)
    whole = anew(campaign)
    late = JudgmentEvent.objects.filter(source="import").latest("pk").pk
    write_columns(campaign, "events", whole.where(whole.key != late)._asdict())
    assert log_of(campaign).equals(whole)


def test_where_no_file_can_be_pages_go_on(campaign: Campaign, settings: Settings, asked: list[int]) -> None:
    Path(settings.KEPT_ROOT).write_text("a file, where the folder should be")
    assert log_of(campaign).equals(anew(campaign))
    assert len(log_of(campaign).key) == JudgmentEvent.objects.count()


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


def counts(campaign: Campaign) -> int:
    """How often all events are counted when a new process reads what judges did."""
    cache.clear()
    with CaptureQueriesContext(connection) as asked:
        assert log_of(campaign).equals(anew(campaign))
    return sum(
        'COUNT(*) AS "__count" FROM "assess_judgmentevent"' in query["sql"]
        for query in asked.captured_queries
    )


def test_events_are_counted_once_after_a_deed(campaign: Campaign, make: Factory, asked: list[int]) -> None:
    log_of(campaign)
    assert counts(campaign) == 0
    make.make_judgment(campaign, "bob", "2", "D1", 3)
    assert counts(campaign) == 0
    load_judgments(campaign, make.make_user("carol"), b"2 0 D1 1\n", "more.qrels", "more")
    assert [counts(campaign), counts(campaign)] == [1, 0]


@pytest.fixture
def labelled(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Texts of any number of documents are left in a file."""
    monkeypatch.setattr(earlier_texts, "MANY", 0)
    return campaign


def replaced(campaign: Campaign) -> tuple[int, bool]:
    """How many labels are of an earlier text, and whether a new process reads texts to tell."""
    cache.clear()
    with CaptureQueriesContext(connection) as asked:
        found = labels_of_earlier_texts(campaign)
    return found, any('FROM "pooling_document"' in query["sql"] for query in asked.captured_queries)


def test_another_process_finds_the_texts_until_one_is_imported(labelled: Campaign, make: Factory) -> None:
    before, _ = replaced(labelled)
    assert replaced(labelled) == (before, False)
    note(labelled, make.make_user("carol"), "changed", "something")
    assert replaced(labelled) == (before, False)
    import_documents(labelled, lambda: reading_of(BytesIO(TEXT), "d.jsonl"))
    assert replaced(labelled) == (before + 2, True)
    assert replaced(labelled) == (before + 2, False)


def test_a_release_leaves_the_texts_for_other_processes(labelled: Campaign) -> None:
    leave_behind(labelled.releases.latest("number"))
    _, read = replaced(labelled)
    assert not read


def test_the_texts_of_an_import_that_broke_off_are_seen(
    labelled: Campaign, make: Factory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _ = replaced(labelled)
    monkeypatch.setattr("pooling.services.documents.STORED_AT_ONCE", 1)
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}  # nobody begins it
    about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": False}
    carol, files = make.make_user("carol"), ContentFile(TEXT + TEXT.replace(b"D1", b"D2"))
    job = start_job(labelled, carol, tasks.import_documents, "Load documents", about, files)

    def dies(job: Job, done: int, *more: Any) -> None:
        if done == 2:
            raise OperationalError("as if the database had gone")
        advance(job, done, *more)

    monkeypatch.setattr("pooling.services.documents.advance", dies)
    with pytest.raises(OperationalError):
        work(job.pk, import_upload)
    assert replaced(labelled) == (before + 2, True)


def test_a_backup_holds_no_copy(campaign: Campaign, tmp_path: Path, asked: list[int]) -> None:
    log_of(campaign)
    assert not [name for name in back_up(tmp_path / "one.zip")["files"] if "events" in name]


@pytest.fixture
def pooled_in_a_file(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> PooledColumns:
    """Documents of any number are left in a file, of which the last two are compared."""
    monkeypatch.setattr(pooled_columns_module, "MANY", 0)
    monkeypatch.setattr(pooled_columns_module, "COMPARED", 2)
    cache.clear()
    found = pooled_columns(campaign)
    cache.clear()
    return found


def is_as_stored(campaign: Campaign) -> bool:
    """Whether the columns are what the tables say, line by line."""
    place_of = {pk: place for place, pk in enumerate(campaign.topics.values_list("pk", flat=True))}
    rows = PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk")
    stored = [
        (row.pk, place_of[row.topic_id], row.docno.encode(), row.best_rank or 0, row.pool_id) for row in rows
    ]
    return stored == list(zip(*(column.tolist() for column in pooled_columns(campaign)), strict=True))


def test_another_process_finds_the_pooled_documents(
    campaign: Campaign, pooled_in_a_file: PooledColumns, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pooled_columns_module._rows
    sizes: list[int] = []

    def counted(stored: QuerySet[PooledDocument]) -> PooledColumns:
        sizes.append(stored.count())
        return rows(stored)

    monkeypatch.setattr(pooled_columns_module, "_rows", counted)
    assert is_as_stored(campaign)
    assert max(sizes) == 2 < len(pooled_in_a_file.pk)


def test_pooled_documents_of_another_database_are_not_believed(
    campaign: Campaign, pooled_in_a_file: PooledColumns
) -> None:
    path = Path(settings.KEPT_ROOT) / f"pooled-{campaign.pk}.columns"
    whole = path.read_bytes()
    for column, other in {
        "docno": whole_words(np.append(pooled_in_a_file.docno[:-1], b"D7777777")),
        "pool": pooled_in_a_file.pool + 1,
        "best_rank": pooled_in_a_file.best_rank + 1,
    }.items():
        lie = pooled_in_a_file._asdict() | {column: other}
        write_columns(campaign, "pooled", lie | {"docno": as_words(lie["docno"])})
        cache.clear()
        assert is_as_stored(campaign), column
    path.write_bytes(whole[:-1])
    cache.clear()
    assert is_as_stored(campaign)


def test_a_document_that_is_pooled_later_is_there(
    campaign: Campaign, make: Factory, pooled_in_a_file: PooledColumns
) -> None:
    load_probes(campaign, make.make_user("carol"), "gold", b"2 D2 2\n")
    assert is_as_stored(campaign)
    cache.clear()
    assert is_as_stored(campaign)
    assert len(pooled_columns(campaign).pk) == len(pooled_in_a_file.pk) + 1

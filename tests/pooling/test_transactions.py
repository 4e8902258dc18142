"""The write lock is short: what takes time happens before the transaction that stores the result."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings as installed
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from pytest_django import Settings

from pooling import tasks
from pooling.formats.files import BadFile
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Run
from pooling.queries.runs import docno_table, submitted_text
from pooling.services.jobs import run_attempt, start_job
from pooling.services.pools import PoolRefused, freeze_pool
from pooling.services.runs import Submission, submit_run, submit_upload
from tests.support.factory import Factory

pytestmark = pytest.mark.django_db(transaction=True)
DEPTH = PoolPlan("depth", {"k": 5})


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    return campaign


class Watch:
    """Notes of which functions ran, and fails where one of them runs inside a transaction."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran: set[str] = set()
        self._monkeypatch = monkeypatch

    def outside(self, owner: Any, *names: str) -> None:
        for name in names:
            self._monkeypatch.setattr(owner, name, self._watched(name, getattr(owner, name)))

    def _watched(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **options: Any) -> Any:
            assert not connection.in_atomic_block, f"{name} runs inside a transaction"
            self.ran.add(name)
            return function(*args, **options)

        return watched


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


def run_file(*docnos: str, tag: str = "okapi") -> bytes:
    rows = [f"1 Q0 {docno} {rank} {9 - rank} {tag}\n" for rank, docno in enumerate(docnos)]
    return "".join(rows).encode()


def submit(campaign: Campaign, make: Factory, content: bytes, tag: str = "") -> Run:
    return submit_run(campaign, make.make_user("carol"), content, "a.run", Submission(tag=tag))


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Call each in a thread of its own; return what they return or raise, in their order."""
    start = threading.Barrier(len(calls))

    def outcome(call: Callable[[], Any]) -> Any:
        start.wait()
        try:
            return call()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(outcome, calls))


def test_requests_are_not_wrapped_in_transactions() -> None:
    assert not installed.DATABASES["default"].get("ATOMIC_REQUESTS")


def test_a_run_is_unpacked_read_compressed_and_written_outside_the_transaction(
    campaign: Campaign, make: Factory, watch: Watch
) -> None:
    runs = import_module("pooling.services.runs")
    slow = ("unpack", "read_header", "check_run_file", "column_arrays", "store_once")
    watch.outside(runs, *slow)
    watch.outside(runs.gzip, "compress")
    watch.outside(runs.zlib, "compress")
    submit(campaign, make, run_file("D1", "D2"))
    assert watch.ran == {*slow, "compress"}


def test_the_runs_of_a_job_are_read_outside_the_transaction(
    campaign: Campaign, make: Factory, watch: Watch, settings: Settings
) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}  # not in the caller's
    runs = import_module("pooling.services.runs")
    watch.outside(runs, "check_run_file", "store_once", "column_arrays")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("one.run", run_file("D1", tag="one"))
        files.writestr("two.run", run_file("D2", tag="two"))
        files.writestr("bad.run", b"1 Q0 D1\n")
    about = {"name": "runs.zip", "tag_from_name": False, "about": Submission()._asdict()}
    content = ContentFile(archive.getvalue())
    job = start_job(campaign, make.make_user("carol"), tasks.submit_runs, "Submit", about, content)
    run_attempt(job.pk, job.task_id, submit_upload)
    job.refresh_from_db()
    assert (job.state, job.done, job.message) == ("done", 3, "2 runs stored, 1 refused")
    assert watch.ran == {"check_run_file", "store_once", "column_arrays"}


def test_a_pool_is_ranked_and_built_outside_the_transaction(
    campaign: Campaign, make: Factory, watch: Watch
) -> None:
    submit(campaign, make, run_file("D1", "D2"))
    pools = import_module("pooling.services.pools")
    watch.outside(pools, "select_new_documents", "complete_depth", "manifest_of", "_columns_of")
    freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), DEPTH)
    assert len(watch.ran) == 4


def test_a_pool_that_fills_holes_is_built_outside_the_transaction(
    campaign: Campaign, make: Factory, watch: Watch
) -> None:
    submit(campaign, make, run_file("D1", "D2"))
    freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), PoolPlan("depth", {"k": 1}))
    assignments = import_module("assess.services.assignments")
    watch.outside(assignments, "select_new_documents", "pairs_text")
    assignments.top_up(campaign, make.make_user("carol"), 5)
    assert len(watch.ran) == 2


def test_documents_are_read_outside_the_transaction(campaign: Campaign, make: Factory, watch: Watch) -> None:
    documents = import_module("pooling.services.documents")
    watch.outside(documents, "text_hash", "islice", "pooled_in")
    client = Client()
    client.force_login(make.make_user("carol"))
    rows = "".join(json.dumps({"docno": f"D{n}", "text": "words"}) + "\n" for n in range(3))
    file = ContentFile(rows.encode(), "d.jsonl")
    client.post(f"/campaigns/{campaign.slug}/documents/", {"file": file, "keep": "all"})
    assert campaign.documents.count() == 3
    assert watch.ran >= {"text_hash", "islice"}


def test_of_two_runs_with_one_tag_at_once_one_is_stored_and_the_other_refused(
    campaign: Campaign, make: Factory
) -> None:
    make.make_user("carol")
    outcomes = at_once(
        lambda: submit(campaign, make, run_file("D1", "D2")),
        lambda: submit(campaign, make, run_file("D3", "D4")),
    )
    (refusal,) = [each for each in outcomes if isinstance(each, BadFile)]
    (stored,) = [each for each in outcomes if isinstance(each, Run)]
    assert "the tag okapi is taken in this campaign" in str(refusal)
    assert campaign.runs.get() == stored
    assert submitted_text(stored) in (run_file("D1", "D2"), run_file("D3", "D4"))


def test_a_tag_that_is_taken_while_a_run_is_read_is_refused(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = import_module("pooling.services.runs")
    read = runs.check_run_file

    def slow(*args: Any) -> Any:
        monkeypatch.setattr(runs, "check_run_file", read)
        submit(campaign, make, run_file("D9"))  # another process, meanwhile
        return read(*args)

    monkeypatch.setattr(runs, "check_run_file", slow)
    with pytest.raises(BadFile, match="the tag okapi is taken in this campaign"):
        submit(campaign, make, run_file("D1"))
    assert campaign.runs.count() == 1
    assert submitted_text(submit(campaign, make, run_file("D1"), "other")) == run_file("D1")


def test_docnos_that_another_run_added_meanwhile_are_numbered_again(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = import_module("pooling.services.runs")
    sort = runs.column_arrays

    def slow(*args: Any) -> Any:
        monkeypatch.setattr(runs, "column_arrays", sort)
        submit(campaign, make, run_file("D2", "D3", tag="first"))
        return sort(*args)

    monkeypatch.setattr(runs, "column_arrays", slow)
    second = submit(campaign, make, run_file("D1", "D2", tag="second"))
    names = docno_table(campaign).docnos()
    assert sorted(names.tolist()) == [b"D1", b"D2", b"D3"]
    numbers = import_module("pooling.queries.runs").run_columns(second).ids
    assert names[numbers].tolist() == [b"D1", b"D2"]


def test_many_runs_at_once_share_one_dictionary_of_docnos(campaign: Campaign, make: Factory) -> None:
    make.make_user("carol")
    files = [run_file(f"D{n}", f"D{n + 1}", f"D{n + 2}", tag=f"run{n}") for n in range(8)]
    outcomes = at_once(*(lambda file=file: submit(campaign, make, file) for file in files))
    assert all(isinstance(each, Run) for each in outcomes), outcomes
    names, stored = docno_table(campaign).docnos(), import_module("pooling.queries.runs").run_columns
    for n, run in enumerate(outcomes):
        assert names[stored(run).ids].tolist() == [f"D{n + rank}".encode() for rank in range(3)]
    assert len(names) == 10


def test_of_two_pools_at_once_the_second_is_refused(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(campaign, make, run_file("D1", "D2"))
    carol, runs = make.make_user("carol"), list(campaign.runs.all())
    pools = import_module("pooling.services.pools")
    build = pools.manifest_of

    def slow(*args: Any) -> Any:
        monkeypatch.setattr(pools, "manifest_of", build)
        freeze_pool(campaign, carol, runs, DEPTH)
        return build(*args)

    monkeypatch.setattr(pools, "manifest_of", slow)
    with pytest.raises(PoolRefused, match="Another pool was frozen while this one was built"):
        freeze_pool(campaign, carol, runs, DEPTH)
    assert campaign.pools.get().documents.count() == 2


def test_a_refused_run_leaves_no_file(campaign: Campaign, make: Factory) -> None:
    submit(campaign, make, run_file("D1"))
    with pytest.raises(BadFile):
        submit(campaign, make, run_file("D2"))
    assert len(default_storage.listdir("runs")[1]) == 1

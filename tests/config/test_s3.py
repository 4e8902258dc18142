"""Everything that is a file, in a bucket: uploads, releases, downloads, audit, backup."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from assess.models import ReleaseFile
from assess.services.releases import release_qrels
from config.archives.installation import back_up, restore
from config.archives.tables import stored_models
from pooling.models import Campaign, Document, Job, Run
from pooling.services.jobs import delete_uploads
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign
from tests.support.s3 import bucket

RUN = b"1 Q0 D1 1 2.0 okapi\n1 Q0 D2 2 1.0 okapi\n"


@pytest.fixture(autouse=True)
def in_a_bucket(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Files go to a bucket; a file that went to the data folder instead would have nowhere to go."""
    with bucket() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        options = {
            **settings.BUCKET["OPTIONS"],
            "bucket_name": environment["JURYPOOL_S3_BUCKET"],
            "endpoint_url": environment["JURYPOOL_S3_ENDPOINT"],
        }
        settings.STORAGES = settings.STORAGES | {"default": {**settings.BUCKET, "OPTIONS": options}}
        nowhere = tmp_path / "nowhere"
        nowhere.write_text("a file, so that nothing can be stored below it")
        settings.MEDIA_ROOT = nowhere
        yield


def is_kept(name: str | None) -> bool:
    return default_storage.exists(str(name))


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_a_run_goes_in_by_the_form_and_comes_out_as_it_was(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    dave = signed_in(make, "dave")
    upload = SimpleUploadedFile("okapi.run.gz", gzip.compress(RUN))
    fields = {
        "run_files": [upload],
        "kind": "automatic",
        "priority": 1,
        "tag_from": "column",
        "group": "davelab",
    }
    page = dave.post("/campaigns/tiny/runs/", fields)
    run = Run.objects.get(tag="okapi")
    assert page.status_code in (200, 302)
    assert is_kept(run.original.name)
    sent = dave.get("/campaigns/tiny/runs/okapi/file/")
    packed = b"".join(sent.streaming_content)  # type: ignore[attr-defined]
    assert gzip.decompress(packed) == RUN
    assert int(sent["Content-Length"]) == len(packed)


@pytest.fixture
def lived(make: Factory) -> Campaign:
    campaign = make_lived_campaign(make)
    make.publish(campaign)
    return campaign


@pytest.mark.slow
def test_what_is_released_is_downloaded_whole_and_in_parts(lived: Campaign, make: Factory) -> None:
    rita = signed_in(make, "rita")
    url = "/campaigns/tiny/qrels/1/files/qrels/"
    stored = ReleaseFile.objects.get(release__number=1, kind="qrels")
    whole = b"".join(rita.get(url).streaming_content)  # type: ignore[attr-defined]
    assert len(whole) == stored.size
    part = rita.get(url, headers={"Range": "bytes=3-9"})
    assert (part.status_code, part["Content-Range"]) == (206, f"bytes 3-9/{len(whole)}")
    assert b"".join(part.streaming_content) == whole[3:10]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_of_a_part_no_more_is_fetched_than_is_asked_for(lived: Campaign, make: Factory) -> None:
    sent: list[int] = []
    events = default_storage.connection.meta.client.meta.events  # type: ignore[attr-defined]
    events.register("after-call.s3.GetObject", lambda parsed, **_: sent.append(parsed["ContentLength"]))
    url, rita = "/campaigns/tiny/qrels/1/files/qrels/", signed_in(make, "rita")
    for asked, count in (("bytes=3-9", 7), ("bytes=-4", 4), ("bytes=0-0", 1)):
        part = rita.get(url, headers={"Range": asked})
        assert len(b"".join(part.streaming_content)) == count  # type: ignore[attr-defined]
    assert sent == [7, 4, 1]


@pytest.mark.slow
def test_a_release_as_one_archive_holds_its_files(lived: Campaign, make: Factory) -> None:
    response = signed_in(make, "carol").get("/campaigns/tiny/downloads/1/collection/")
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        names = {name.partition("/")[2] for name in archive.namelist()}
        assert {"qrels.txt", "runs/run.gz", "SHA256SUMS"} <= names


@pytest.mark.slow
def test_a_work_of_the_background_finds_its_upload_and_drops_it(make: Factory, settings: Settings) -> None:
    make.make_campaign()
    settings.BACKGROUND_BYTES, settings.JOB_LEASE = 10, -1
    lines = b"".join(json.dumps({"docno": f"D{n}", "text": "A sloop."}).encode() + b"\n" for n in range(5))
    fields = {"file": SimpleUploadedFile("d.jsonl", lines), "keep": "all", "form": ""}
    signed_in(make, "carol").post("/campaigns/tiny/documents/", fields)
    job = Job.objects.get()
    assert (job.state, Document.objects.count()) == ("done", 5), job.message
    kept = job.upload.name
    assert is_kept(kept)
    delete_uploads()
    assert not is_kept(kept)


def wipe() -> None:
    for model in reversed(stored_models()):
        model._base_manager.all()._raw_delete("default")
    cache.clear()


def said_by_audit() -> str:
    out = StringIO()
    call_command("audit", "--all", stdout=out)
    return out.getvalue()


@pytest.mark.slow
def test_what_is_in_a_bucket_is_audited_backed_up_and_restored(lived: Campaign, tmp_path: Path) -> None:
    assert " 0 faults, 0 notes" in said_by_audit()
    before = back_up(tmp_path / "one.zip")
    assert (before["lost"], len(before["files"]) > 10) == ([], True)
    for name in before["files"]:
        default_storage.delete(name)
    wipe()
    restore(tmp_path / "one.zip")
    assert " 0 faults, 0 notes" in said_by_audit()


@pytest.mark.slow
def test_a_file_that_the_bucket_lost_is_a_fault_of_the_audit(lived: Campaign, tmp_path: Path) -> None:
    run = Run.objects.get(tag="run")
    run.original.storage.delete(str(run.original.name))
    with pytest.raises(CommandError, match="found"):
        call_command("audit", "--all", stdout=StringIO())
    assert back_up(tmp_path / "one.zip")["lost"] == [run.original.name]


@pytest.mark.slow
def test_a_backup_moves_to_a_bucket_from_a_folder(settings: Settings, make: Factory, tmp_path: Path) -> None:
    bucket_of_files = settings.STORAGES
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.STORAGES = settings.STORAGES | {"default": settings.FOLDER}
    make_lived_campaign(make)
    back_up(tmp_path / "one.zip")
    wipe()
    shutil.rmtree(tmp_path / "files")
    settings.STORAGES = bucket_of_files
    restore(tmp_path / "one.zip")
    assert " 0 faults, 0 notes" in said_by_audit()
    assert is_kept(Run.objects.get(tag="run").original.name)


@pytest.mark.slow
def test_a_name_that_is_taken_is_not_written_over() -> None:
    first = default_storage.save("runs/one.gz", ContentFile(b"one"))
    second = default_storage.save("runs/one.gz", ContentFile(b"two"))
    assert first != second
    with default_storage.open(first) as file:
        assert file.read() == b"one"


@pytest.mark.slow
def test_releases_need_no_folder(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    release = release_qrels(campaign, make.make_user("carol"))
    with release.file.open("rb") as file:
        assert file.read() == b"1 0 D1 3\n"

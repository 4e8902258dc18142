"""Files are written whole or not at all, and a damaged one is never taken as evidence."""

from __future__ import annotations

import errno
import gzip
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import TemporaryUploadedFile
from pytest_django import Settings

from assess.models import QrelsRelease
from assess.services.releases import release_qrels
from config import storage
from pooling.checksum import sha256_of
from pooling.models import Campaign, Run
from pooling.queries.runs import submitted_text
from pooling.services.files import store_once
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory

RUN = b"".join(b"1 Q0 D%d %d %d.0 okapi\n" % (n, n, 900 - n) for n in range(1, 800))


class FullDisk(ContentFile[bytes]):
    """A file during whose writing the disk becomes full."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        yield b"the first half"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    return campaign


def submit(campaign: Campaign, make: Factory, tag: str = "okapi") -> Run:
    return submit_run(campaign, make.make_user("carol"), gzip.compress(RUN), "a.run.gz", Submission(tag=tag))


def stored_files(settings: Settings) -> list[Path]:
    return sorted(path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file())


def test_a_disk_that_fills_up_leaves_no_file(settings: Settings) -> None:
    with pytest.raises(OSError, match="No space left"):
        default_storage.save("runs/one.gz", FullDisk(b""))
    assert not stored_files(settings)
    assert default_storage.save("runs/one.gz", ContentFile(b"whole")) == "runs/one.gz"
    assert [path.read_bytes() for path in stored_files(settings)] == [b"whole"]


def test_a_file_has_its_name_only_when_all_of_it_is_on_the_disk(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, replace = os.fsync, os.replace

    def noting_sync(descriptor: int) -> None:
        steps.append("sync " + os.readlink(f"/proc/self/fd/{descriptor}"))
        sync(descriptor)

    def noting_replace(source: Path, target: Path) -> None:
        steps.append(f"rename {source}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noting_sync)
    monkeypatch.setattr(os, "replace", noting_replace)
    default_storage.save("runs/one.gz", ContentFile(b"whole"))
    root = Path(settings.MEDIA_ROOT)
    partial = steps[1].removeprefix("rename ")
    assert Path(partial).parent == root / storage.PARTIAL_FOLDER
    assert steps == [f"sync {partial}", f"rename {partial}", f"sync {root / 'runs'}", f"sync {root}"]


def test_the_files_of_killed_writers_are_removed_a_day_later(settings: Settings) -> None:
    partial = Path(settings.MEDIA_ROOT) / storage.PARTIAL_FOLDER
    partial.mkdir(parents=True)
    (partial / "killed").write_bytes(b"half")
    (partial / "writing").write_bytes(b"half")
    long_ago = time.time() - storage.STALE_SECONDS - 60
    os.utime(partial / "killed", (long_ago, long_ago))
    default_storage.save("runs/one.gz", ContentFile(b"whole"))
    assert [path.name for path in partial.iterdir()] == ["writing"]


def test_an_upload_that_was_spooled_to_disk_is_stored_whole(settings: Settings, tmp_path: Path) -> None:
    with TemporaryUploadedFile("a.run", "text/plain", 5, None) as upload:
        upload.write(b"whole")
        upload.seek(0)
        default_storage.save("uploads/one", upload)
    assert [path.read_bytes() for path in stored_files(settings)] == [b"whole"]


@pytest.mark.parametrize(
    "left",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x1f\x8b\x08", id="three bytes"),
        pytest.param(gzip.compress(RUN)[:-40], id="cut short"),
        pytest.param(gzip.compress(b"other"), id="another text"),
    ],
)
def test_a_truncated_original_is_replaced_when_the_run_is_submitted_again(
    campaign: Campaign, make: Factory, left: bytes
) -> None:
    run = submit(campaign, make)
    path = Path(run.original.path)
    run.delete()
    path.write_bytes(left)
    assert submitted_text(submit(campaign, make)) == RUN


def test_a_whole_original_is_stored_once(campaign: Campaign, make: Factory) -> None:
    first = submit(campaign, make, "first")
    written = Path(first.original.path).stat().st_mtime_ns
    second = submit(campaign, make, "second")
    assert first.original.name == second.original.name
    assert Path(first.original.path).stat().st_mtime_ns == written


def test_a_file_that_another_process_stores_meanwhile_keeps_its_name(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    exists, name = default_storage.exists, "runs/one.gz"

    def late(asked: str) -> bool:
        monkeypatch.undo()
        assert not exists(asked)
        default_storage.save(name, ContentFile(b"whole"))  # the other process
        return False

    monkeypatch.setattr(default_storage, "exists", late)
    assert store_once(name, ContentFile(b"whole"), sha256_of(b"whole")) == name
    assert [path.name for path in stored_files(settings)] == ["one.gz"]


def test_a_run_that_cannot_be_written_is_not_stored(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr("pooling.services.runs.ContentFile", FullDisk)
    with pytest.raises(OSError, match="No space left"):
        submit(campaign, make)
    assert not campaign.runs.exists()
    assert not stored_files(settings)
    monkeypatch.undo()
    assert submitted_text(submit(campaign, make)) == RUN


def test_a_truncated_file_of_a_release_is_replaced_by_the_next_one(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    carol = make.make_user("carol")
    release = release_qrels(campaign, carol)
    whole = contents(release)
    for file in release.files.all():
        path = Path(file.file.path)
        path.write_bytes(path.read_bytes()[: file.size // 2])
    again = release_qrels(campaign, carol)
    assert contents(again).keys() == whole.keys()
    for file in again.files.all():
        assert Path(file.file.path).stat().st_size == file.size
    assert contents(again)["qrels"] == whole["qrels"]


def contents(release: QrelsRelease) -> dict[str, Any]:
    return {file.kind: Path(file.file.path).read_bytes() for file in release.files.all()}

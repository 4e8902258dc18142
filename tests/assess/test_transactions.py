"""The write lock is short while labels are loaded and releases frozen: what takes time comes before."""

from __future__ import annotations

import os
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from assess.models import JudgmentEvent
from assess.services.imports import load_judgments
from pooling.formats.files import BadFile
from pooling.models import Campaign
from tests.pooling.test_transactions import Watch, watch
from tests.support.factory import Factory

__all__ = ["watch"]
pytestmark = pytest.mark.django_db(transaction=True)
QRELS = b"1 0 D1 2\n1 0 NEW 3\n2 0 D1 1\n"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def test_judgments_are_read_and_compared_outside_the_transaction(
    campaign: Campaign, make: Factory, watch: Watch
) -> None:
    imports = import_module("assess.services.imports")
    watch.outside(imports, "unpack", "check_records", "label_batch", "_not_pooled")
    watch.outside(imports, "judgment_file")
    loaded = load_judgments(campaign, make.make_user("carol"), QRELS, "nist.qrels", "NIST", extend_pool=True)
    assert (loaded.labels, loaded.newly_pooled) == (3, 1)
    assert len(watch.ran) == 5
    labels = loaded.judge.judgments.values_list("pooled__topic__number", "pooled__docno", "relevance")
    assert sorted(labels) == [("1", "D1", 2), ("1", "NEW", 3), ("2", "D1", 1)]
    assert all(each.event.relevance == each.relevance for each in loaded.judge.judgments.all())
    assert all(each.event.pooled_id == each.pooled_id for each in loaded.judge.judgments.all())


def test_judgments_are_refused_when_a_pool_is_frozen_while_they_are_read(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    imports = import_module("assess.services.imports")
    carol, read = make.make_user("carol"), imports.label_batch

    def slow(*args: Any) -> Any:
        monkeypatch.setattr(imports, "label_batch", read)
        found = read(*args)
        load_judgments(campaign, carol, QRELS, "first.qrels", "first", extend_pool=True)
        return found

    monkeypatch.setattr(imports, "label_batch", slow)
    with pytest.raises(
        BadFile,
        match=r"second.qrels: .*another pool was frozen while this file was read: load the file again",
    ):
        load_judgments(campaign, carol, QRELS, "second.qrels", "second", extend_pool=True)
    assert not campaign.memberships.filter(user__name="second").exists()
    assert JudgmentEvent.objects.filter(source="import").count() == 3
    assert (
        load_judgments(campaign, carol, QRELS, "second.qrels", "second", extend_pool=True).newly_pooled == 0
    )


def test_the_files_of_a_release_are_written_and_stored_outside_the_transaction(
    campaign: Campaign, make: Factory, watch: Watch
) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    releases = import_module("assess.services.releases")
    watch.outside(releases, "write_line_files", "_write_about", "store_once")
    release = releases.release_qrels(campaign, make.make_user("carol"))
    assert len(watch.ran) == 3
    assert release.files.count() > 4


def test_a_release_is_refused_if_another_was_frozen_while_it_was_written(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    releases = import_module("assess.services.releases")
    carol, write = make.make_user("carol"), releases._write_about

    def slow(*args: Any) -> Any:
        monkeypatch.setattr(releases, "_write_about", write)
        releases.release_qrels(campaign, carol)
        return write(*args)

    monkeypatch.setattr(releases, "_write_about", slow)
    with pytest.raises(releases.ReleaseConflict, match="Release v1 was frozen in the meantime"):
        releases.release_qrels(campaign, carol)
    assert [release.number for release in campaign.releases.all()] == [1]


def test_the_folder_of_a_killed_release_is_removed_by_the_next_one(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    releases = import_module("assess.services.releases")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    for name, age in (("killed", releases.STALE_SECONDS + 60), ("running", 60)):
        folder = tmp_path / f"{releases.FOLDER_PREFIX}{name}"
        folder.mkdir()
        (folder / "qrels.txt").write_text("half")
        os.utime(folder, (time.time() - age, time.time() - age))
    releases.release_qrels(campaign, make.make_user("carol"))
    assert [path.name for path in tmp_path.glob("*release*")] == [f"{releases.FOLDER_PREFIX}running"]

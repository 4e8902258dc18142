"""An archive whose checksums are right and whose rows or names are not: refused, and nothing of it stays."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import Settings

from accounts.models import User
from config.archives.campaigns import export_campaign, import_campaign
from config.archives.zip_file import ArchiveWriter, BadArchive, open_archive
from pooling.models import Campaign, Job, Run
from tests.config.test_archives import wipe
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign

ODD: list[Any] = [
    None, True, -1, 2**31, 2**63, 2**70, 1.5, 1e308, "", "x", "a\0b", "\ud800", "../../etc/passwd",
    "x" * 10_000, "2020-02-30T25:00:00Z", "2020-02-30", [], [[]], {}, {"a": 1},
]  # fmt: skip


@pytest.fixture
def archive(make: Factory, tmp_path: Path) -> Path:
    """A campaign that was here, and is not any more."""
    make_lived_campaign(make)
    path = tmp_path / "tiny.zip"
    export_campaign(Campaign.objects.get(slug="tiny"), path)
    Campaign.objects.filter(slug="tiny").update(slug="here-already")
    return path


def changed(path: Path, change: Any) -> Path:
    """Write the archive anew with its tables, files and manifest as `change` has left them."""
    with open_archive(path, "campaign") as old:
        tables = {name: list(old.rows(name)) for name in old.tables}
        files = {name: old.open(name).read() for name in old.files}
        about = {key: value for key, value in old.manifest.items() if key not in ("tables", "files")}
    change(tables, files, about)
    target = path.with_name("changed.zip")
    with zipfile.ZipFile(target, "w") as file:
        new = ArchiveWriter(file)
        for name, rows in tables.items():
            new.add_table(name, [row if isinstance(row, str) else json.dumps(row) for row in rows])
        for name, content in files.items():
            new.add_file(name, io.BytesIO(content))
        new.finish(about)
    return target


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_row_that_does_not_fit_is_refused_in_words(gift: Path, data: st.DataObject) -> None:
    def spoil(tables: dict[str, list[Any]], files: dict[str, bytes], about: dict[str, Any]) -> None:
        table = data.draw(st.sampled_from(sorted(name for name, rows in tables.items() if rows)))
        row = data.draw(st.sampled_from(tables[table]))
        field = data.draw(st.sampled_from(sorted(row)))
        if data.draw(st.booleans()):
            row[field] = data.draw(st.sampled_from(ODD))
        else:
            del row[field]

    people = User.objects.count()
    with transaction.atomic():
        try:
            import_campaign(changed(gift, spoil), {})
        except BadArchive as error:
            assert 10 < len(str(error)) < 2000
            assert not Campaign.objects.filter(slug="tiny").exists() and User.objects.count() == people
        transaction.set_rollback(True)


@pytest.mark.parametrize("field", ["kind", "slug", "made_at", "database", "software"])
def test_a_manifest_that_says_something_odd_is_refused_in_words(archive: Path, field: str) -> None:
    for odd in [odd for odd in ODD if odd != "\ud800"]:  # which no UTF-8 can say

        def spoil(tables: Any, files: Any, about: Any, odd: Any = odd) -> None:
            about[field] = odd

        with transaction.atomic():
            try:
                import_campaign(changed(archive, spoil), {})
            except BadArchive as error:
                assert 10 < len(str(error)) < 2000
            transaction.set_rollback(True)


@pytest.mark.parametrize("line", ["", "{", "[]", "[" * 100_000, "null", '{"id": 1e999}', "\x00"])
def test_a_line_that_is_no_row_is_refused(archive: Path, line: str) -> None:
    broken = changed(archive, lambda tables, files, about: tables["pooling.Topic"].append(line))
    with pytest.raises(BadArchive, match=r"pooling\.Topic"):
        import_campaign(broken, {})


@pytest.mark.parametrize("name", ["../../outside.gz", "/outside.gz", "runs/../../outside.gz", "a\0b", ""])
def test_a_file_that_would_leave_the_storage_is_refused(archive: Path, name: str, tmp_path: Path) -> None:
    broken = changed(archive, lambda tables, files, about: files.update({name: b"evil"}))
    with pytest.raises(BadArchive):
        import_campaign(broken, {})
    assert not [*tmp_path.parent.rglob("outside.gz")]


# an archive whose rows name what only this server has


@pytest.fixture
def gift(make: Factory, tmp_path: Path, settings: Settings) -> Path:
    """The archive of a campaign that this server has never had, which has a campaign `alpha` instead."""
    make_lived_campaign(make)
    path = tmp_path / "gift.zip"
    export_campaign(Campaign.objects.get(slug="tiny"), path)
    wipe(settings)
    alpha = make.make_campaign("alpha")
    make.make_topic(alpha)
    make.make_run(alpha, "1 SECRET 2\n1 B 1", tag="alpha")
    return path


def refused(path: Path, change: Any) -> str:
    """Return why an archive with this change is refused; nothing of it may be stored."""
    people, files = User.objects.count(), stored_files()
    with pytest.raises(BadArchive) as caught:
        import_campaign(changed(path, change), {})
    assert [campaign.slug for campaign in Campaign.objects.all()] == ["alpha"]
    assert (User.objects.count(), stored_files()) == (people, files)
    return str(caught.value)


def stored_files() -> dict[str, bytes]:
    folder = Path(default_storage.location)  # type: ignore[attr-defined]  # a folder in every test
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_that_names_a_file_of_this_server_is_refused(gift: Path) -> None:
    secret = Run.objects.get(tag="alpha")

    def spoil(tables: Any, files: Any, about: Any) -> None:
        tables["pooling.Run"][0] |= {"original": secret.original.name, "sha256": secret.sha256}

    assert f"expected the file {secret.original.name} in the archive" in refused(gift, spoil)


def test_a_file_of_a_release_that_names_a_file_of_this_server_is_refused(gift: Path) -> None:
    secret = str(Run.objects.get(tag="alpha").original.name)

    def spoil(tables: Any, files: Any, about: Any) -> None:
        tables["assess.ReleaseFile"][0]["file"] = secret

    assert "expected the file name qrels/" in (said := refused(gift, spoil)) and secret in said


def test_a_run_whose_file_holds_something_else_is_refused(gift: Path) -> None:
    secret = Run.objects.get(tag="alpha")

    def spoil(tables: Any, files: Any, about: Any) -> None:
        row = tables["pooling.Run"][0]
        files[secret.original.name] = files.pop(row["original"])
        row |= {"original": secret.original.name, "sha256": secret.sha256}

    assert f"the content of {secret.original.name} has another SHA-256" in refused(gift, spoil)


def test_a_file_that_no_row_refers_to_is_refused(gift: Path) -> None:
    said = refused(gift, lambda tables, files, about: files.update({"runs/stray.gz": b"x"}))
    assert "files/runs/stray.gz: expected a row" in said


@pytest.mark.parametrize(
    ("state", "task"), [("done", "pooling.tasks.import_documents"), ("waiting", "this.c")]
)
def test_a_job_of_an_archive_is_left_there(gift: Path, state: str, task: str) -> None:
    secret = Run.objects.get(tag="alpha")

    def spoil(tables: Any, files: Any, about: Any) -> None:
        tables["pooling.Job"] = [{"id": 1, "state": state, "task": task, "upload": secret.original.name}]

    campaign, *_ = import_campaign(changed(gift, spoil), {})
    assert campaign.slug == "tiny" and not Job.objects.exists()
    assert default_storage.exists(str(secret.original.name))


def test_a_campaign_with_faults_is_refused_and_the_faults_are_named(gift: Path) -> None:
    people = User.objects.count()

    def spoil(tables: Any, files: Any, about: Any) -> None:
        tables["metrics.Score"][0]["value"] = 0.123

    with pytest.raises(BadArchive, match=r"has 1 faults: score, .* found 0\.123"):
        import_campaign(changed(gift, spoil), {})
    assert not Campaign.objects.filter(slug="tiny").exists() and User.objects.count() == people


def test_a_copy_beside_the_campaign_itself_is_refused_by_its_labels(archive: Path) -> None:
    with pytest.raises(BadArchive, match="is here already, in the campaign here-already"):
        import_campaign(archive, {}, "copy")

"""An archive whose checksums are right and whose rows or names are not: refused, and nothing of it stays."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from config.archives import export_campaign, import_campaign
from config.archives.zipped import ArchiveWriter, BadArchive, opened
from pooling.models import Campaign
from tests.factory import Factory
from tests.lived import make_lived_campaign

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
    with opened(path, "campaign") as old:
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
def test_a_row_that_does_not_fit_is_refused_in_words(archive: Path, data: st.DataObject) -> None:
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
            import_campaign(changed(archive, spoil), {})
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

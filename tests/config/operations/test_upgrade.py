"""`jurypool upgrade-check`: it finds what makes an upgrade unsafe, names the next step, writes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from pytest_django import Settings

from assess.models import Judgment
from config.archives import last_backup
from config.operations import upgrade
from tests.support.factory import Factory
from tests.support.server import ROOT, prepared

pytestmark = pytest.mark.django_db
Report = tuple[int, str]


@pytest.fixture(autouse=True)
def data_folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the record of the backup. The connection of the test stays open, and may write."""
    settings.DATA_DIR = tmp_path
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)  # browser tests set it in this process
    monkeypatch.setattr(upgrade, "refuse_writes", lambda: None)
    monkeypatch.setattr(upgrade, "closing", lambda connection: connection.cursor())
    return tmp_path


def report(capsys: pytest.CaptureFixture[str]) -> Report:
    code = upgrade.report()
    return code, capsys.readouterr().out


def unapply_last_migration() -> str:
    """Make the database older by its record, and return the name of the migration."""
    last = max(name for app, name in MigrationRecorder(connection).applied_migrations() if app == "metrics")
    MigrationRecorder(connection).record_unapplied("metrics", last)
    return f"metrics.{last}"


def test_data_of_this_version_are_safe(
    make: Factory, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    make.make_campaign("boats")
    code, text = report(capsys)
    assert code == 0, text
    assert "An upgrade is safe now." in text
    assert "note   no backup" in text and "backup before-the-upgrade.zip" in text
    assert "ok     campaign boats: 0 faults" in text
    call_command("backup", tmp_path / "monday.zip", verbosity=0)
    code, text = report(capsys)
    assert code == 0 and f"ok     the last backup is {tmp_path}/monday.zip, 0 hours old, by Jurypool" in text


@pytest.mark.parametrize("is_old", [False, True])
def test_before_the_first_account_there_is_nothing_to_back_up(
    is_old: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="nothing to back up"):
        call_command("backup", tmp_path / "monday.zip", verbosity=0)
    if is_old:
        unapply_last_migration()
    code, text = report(capsys)
    assert code == 0, text
    assert "ok     there is nothing to back up: no account, no campaign" in text
    assert f"Next: {upgrade.START}." in text and "before-the-upgrade.zip" not in text


def test_an_old_database_needs_a_backup_of_its_own_state(
    make: Factory, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_pooled_campaign()
    call_command("backup", tmp_path / "monday.zip", verbosity=0)
    pending = unapply_last_migration()
    code, text = report(capsys)
    assert code == 1 and f"note   1 migration would be applied: {pending}" in text
    assert "it is of another state of the tables" in text and "FAULT" in text and "cp -a" in text
    record = last_backup.last_backup()
    assert record
    mine = record._replace(database=upgrade.state_of_database().last)
    monkeypatch.setattr(last_backup, "last_backup", lambda: mine)
    code, text = report(capsys)
    assert code == 0, text
    assert f"Next: {upgrade.START}." in text
    old = mine._replace(made_at=timezone.now() - timedelta(days=2))
    monkeypatch.setattr(last_backup, "last_backup", lambda: old)
    code, text = report(capsys)
    assert code == 1 and "48 hours old" in text


def test_data_of_a_newer_version_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    MigrationRecorder(connection).record_applied("pooling", "9999_later")
    code, text = report(capsys)
    assert code == 1 and "not known here: pooling.9999_later" in text
    assert "install the version of Jurypool that the data were last used with" in text


def test_a_fault_and_a_full_disk_are_named(
    make: Factory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    Judgment.objects.update(relevance=1)
    monkeypatch.setattr(upgrade, "size_of_data", lambda: 10**18)
    code, text = report(capsys)
    assert code == 1 and "a copy needs 1,000,000,000,000 MB" in text
    assert f"run `manage audit {campaign.slug}`" in text


def test_nothing_is_written(tmp_path: Path) -> None:
    """In a process of its own: a folder without data stays absent, and the database refuses a write."""
    environment = {**os.environ, "DATABASE_URL": "", "JURYPOOL_SECRET_KEY": ""}
    command = [sys.executable, "-m", "jurypool", "upgrade-check", "--data"]
    absent = subprocess.run(
        [*command, tmp_path / "none"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert absent.returncode == 0 and "nothing to upgrade" in absent.stdout, absent.stderr
    assert not (tmp_path / "none").exists()
    there = tmp_path / "there"
    call = f"cp -r {prepared()} {there} && touch {there}/secret-key && echo secret > {there}/secret-key"
    subprocess.run(call, shell=True, check=True)
    before = {path: path.stat().st_mtime_ns for path in there.glob("*") if path.is_file()}
    done = subprocess.run([*command, there], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "every migration is applied" in done.stdout, done.stderr
    assert {path: path.stat().st_mtime_ns for path in there.glob("*") if path.is_file()} == before

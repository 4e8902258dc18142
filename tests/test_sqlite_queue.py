"""One transaction at a time is at the door of SQLite; it has ended when the disk has what it wrote."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from accounts.models import User
from config.sqlite import base

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL needs no queue"),
]


def taken() -> bool:
    """Whether somebody is at the door."""
    with Path(f"{connection.settings_dict['NAME']}-queue").open("a") as door:
        try:
            fcntl.flock(door, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_transaction_is_alone_until_it_ends() -> None:
    with transaction.atomic():
        with transaction.atomic():
            assert taken()
        assert taken()
    assert not taken()


def test_what_failed_makes_room() -> None:
    with pytest.raises(ValueError, match="so"), transaction.atomic():
        User.objects.create(username="nobody")
        raise ValueError("so")
    assert not taken()
    assert not User.objects.exists()


def test_a_connection_that_was_closed_makes_room() -> None:
    with transaction.atomic():
        connection.close()
        assert not taken()
    with transaction.atomic():
        assert taken()


def test_reading_takes_no_place() -> None:
    assert not User.objects.exists()
    assert not taken()


class Disk:
    """What a power cut leaves: the files as they were when somebody last waited for the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.waits = folder, 0

    def __call__(self, log: int) -> None:
        assert Path(os.readlink(f"/proc/self/fd/{log}")).name.endswith("-wal")
        self.waits += 1
        for file in self._files():
            shutil.copy(file, self.folder)

    def users(self) -> list[str]:
        with closing(sqlite3.connect(self.folder / self._files()[0].name)) as found:
            return [name for (name,) in found.execute("SELECT username FROM accounts_user ORDER BY id")]

    def _files(self) -> list[Path]:
        connection.ensure_connection()
        name = str(connection.settings_dict["NAME"])
        return [Path(name), Path(f"{name}-wal")]


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk(tmp_path)
    monkeypatch.setattr(base, "to_disk", disk)
    return disk


def waits_itself() -> bool:
    """Whether SQLite waits for the disk at each commit."""
    with connection.cursor() as cursor:
        return bool(cursor.execute("PRAGMA synchronous").fetchone() == (2,))


def test_what_has_ended_is_on_the_disk(disk: Disk) -> None:
    for count, name in enumerate(("ada", "eve"), start=1):
        with transaction.atomic():
            with transaction.atomic():
                User.objects.create(username=name)
            assert disk.waits == count - 1
        assert disk.users() == ["ada", "eve"][:count]


def test_the_next_writes_while_one_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[object]()

    def meanwhile(log: int) -> None:
        seen.append(taken())
        with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            seen.append([name for (name,) in other.execute("SELECT username FROM accounts_user")])

    monkeypatch.setattr(base, "to_disk", meanwhile)
    with transaction.atomic():
        User.objects.create(username="ada")
    assert seen == [False, ["ada"]]


def test_what_follows_a_commit_follows_the_disk(disk: Disk) -> None:
    seen = []
    with transaction.atomic():
        transaction.on_commit(lambda: seen.append(disk.users()))
        User.objects.create(username="ada")
    assert seen == [["ada"]]


def test_what_one_who_failed_has_seen_is_on_the_disk(disk: Disk) -> None:
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("PRAGMA synchronous=NORMAL")
        other.execute(
            "INSERT INTO accounts_user (username, password, is_superuser, is_staff, is_active, email, name,"
            " date_joined) VALUES ('ada', '', 0, 0, 1, '', '', '2026-01-01')"
        )
        other.commit()
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.create(username="ada")
        assert disk.users() == ["ada"]


def test_sqlite_waits_itself_for_what_is_in_no_transaction() -> None:
    assert waits_itself()
    with transaction.atomic():
        assert not waits_itself()
        User.objects.create(username="ada")
    assert waits_itself()
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(username="ada")
    assert waits_itself()
    with transaction.atomic():
        connection.close()
    assert waits_itself()


def test_who_cannot_begin_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout=1")
        with pytest.raises(OperationalError, match="locked"), transaction.atomic():
            pass
    assert waits_itself()
    assert not taken()
    connection.close()


def test_a_disk_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(log: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(base, "to_disk", fail)
    with pytest.raises(OperationalError, match="Input/output error"), transaction.atomic():
        User.objects.create(username="ada")
    monkeypatch.undo()
    assert waits_itself()
    assert not taken()
    with transaction.atomic():
        User.objects.create(username="eve")


def test_without_a_log_sqlite_waits_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    monkeypatch.setitem(connection.settings_dict, "NAME", f"{connection.settings_dict['NAME']}-elsewhere")
    with transaction.atomic():
        assert waits_itself()

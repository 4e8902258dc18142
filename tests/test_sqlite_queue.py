"""One transaction at a time is at the door of SQLite, and none forgets to make room."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest
from django.db import connection, transaction

from accounts.models import User

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

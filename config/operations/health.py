"""Whether this process can do its work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from uuid import uuid4

from django.core.cache import cache as memory
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

REMEMBERED = 5  # seconds: anybody may ask, and nobody shall keep the storage busy by asking

log = logging.getLogger("jurypool.health")


def what_is_wrong() -> str:
    """Return why this process cannot do its work, in words for everybody; nothing when it can.

    The log has the details. An answer is kept for a few seconds.
    """
    return str(memory.get_or_set("what-is-wrong", _first_fault, REMEMBERED))


def _first_fault() -> str:
    for check, wrong in CHECKS.items():
        try:
            check()
        except Exception:  # whatever a check meets, the answer is that it is not ready
            log.exception("not ready: %s", wrong)
            return wrong
    return ""


def database_answers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def migrations_are_applied() -> None:
    missing = _migrations() - MigrationRecorder(connection).applied_migrations().keys()
    if missing:
        raise LookupError(f"not applied: {', '.join(map('.'.join, sorted(missing)))}")


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    """Return (app, name) of the migrations that this code brings."""
    return frozenset(MigrationLoader(None).graph.nodes)


def files_can_be_written() -> None:
    name = default_storage.save(f"health/{uuid4()}", ContentFile(b"ready"))
    default_storage.delete(name)


CHECKS: dict[Callable[[], None], str] = {
    database_answers: "the database does not answer",
    migrations_are_applied: "the database is of another version: manage.py migrate",
    files_can_be_written: "files cannot be stored",
}

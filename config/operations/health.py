"""The readiness check of this process."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from django.core.cache import cache as memory
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

CACHE_SECONDS = 5  # seconds: the check is public, and must not load the storage

log = logging.getLogger("jurypool.health")


def first_fault() -> str:
    """Return why this process is not ready, for a public page; an empty text if it is ready.

    The log has the details. The result is cached for a few seconds.
    """
    return str(memory.get_or_set("what-is-wrong", _first_fault, CACHE_SECONDS))


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


def files_can_be_stored() -> None:
    """Check without writing, because the check is public. Raises an exception if storing is not possible."""
    default_storage.exists("health")  # a bucket answers this, or the storage raises
    with suppress(NotImplementedError):  # of a storage without folders
        folder = Path(default_storage.path(""))
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
            raise NotADirectoryError(f"{nearest} is not a folder in which files can be made")


CHECKS: dict[Callable[[], None], str] = {
    database_answers: "the database does not answer",
    migrations_are_applied: "the database is of another version: manage.py migrate",
    files_can_be_stored: "files cannot be stored",
}

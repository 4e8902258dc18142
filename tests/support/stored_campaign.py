"""A campaign that is built once for all tests of a module. What a test writes is rolled back after it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

from django.core.cache import cache
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker, Settings

from pooling.models import Campaign
from tests.support.factory import Factory

QUICK: dict[str, Any] = {  # for every test: quick passwords, tasks at once
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    "TASKS": {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}},
}


class StoredCampaign:
    """A campaign in a transaction that is open from one test of a module to the next.

    Each test is a savepoint in it. A test that does not ask for the campaign runs without the transaction, as
    if it was alone; the next one that does has the campaign built again. Nothing in a test may depend on how
    long ago the campaign was built, or close the connection.
    """

    of_module: ClassVar[StoredCampaign | None] = None

    def __init__(self, build: Callable[[Factory], Campaign], blocker: DjangoDbBlocker, folder: Path) -> None:
        self.build, self.blocker, self.folder = build, blocker, folder
        self.transaction: ExitStack | None = None

    def store(self) -> None:
        """Build the campaign, unless it is there."""
        if self.transaction:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        with ExitStack() as stack:
            stack.enter_context(self.blocker.unblock())
            stack.enter_context(transaction.atomic())
            stack.callback(transaction.set_rollback, True)
            cache.clear()  # of what the module before has left
            with override_settings(MEDIA_ROOT=self.folder, **QUICK):
                self.pk = self.build(Factory()).pk
            self.transaction = stack.pop_all()

    def remove(self) -> None:
        """Roll back what `store` did."""
        if self.transaction:
            self.transaction.close()
            self.transaction = None

    def open(self, settings: Settings) -> Campaign:
        """Return the campaign as it is stored, for one test, which has its own copies of the files."""
        shutil.copytree(self.folder, settings.MEDIA_ROOT)
        return Campaign.objects.get(pk=self.pk)

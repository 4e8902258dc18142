"""A campaign that is built once for all tests of a module. What a test writes is rolled back after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
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


class ModuleCampaign(NamedTuple):
    """The key of the campaign, and the folder of its files."""

    pk: int
    files: Path

    def open(self, settings: Settings) -> Campaign:
        """Return the campaign as it is stored, for one test. It must not change files that are there."""
        settings.MEDIA_ROOT = self.files
        return Campaign.objects.get(pk=self.pk)


def module_campaign(build: Callable[[Factory], Campaign]) -> Any:
    """Return a fixture of a module for the campaign that a function builds.

    A module that uses it has no tests with transactions of their own, and no other campaign of the same slug.
    """

    @pytest.fixture(scope="module")
    def stored(
        django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[ModuleCampaign]:
        with built_once(build, django_db_blocker, tmp_path_factory.mktemp("files")) as stored:
            yield stored

    return stored


@contextmanager
def built_once(
    build: Callable[[Factory], Campaign], blocker: DjangoDbBlocker, folder: Path
) -> Iterator[ModuleCampaign]:
    """Build a campaign in a transaction that is open while the tests of a module run.

    Each test is a savepoint in it.
    """
    with blocker.unblock(), transaction.atomic():
        cache.clear()  # of what the module before has left
        with override_settings(MEDIA_ROOT=folder, **QUICK):
            campaign = build(Factory())
        yield ModuleCampaign(campaign.pk, folder)
        transaction.set_rollback(True)

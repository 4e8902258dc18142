from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django import Settings

from tests.factory import Factory

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(autouse=True)
def quick_and_apart(settings: Settings, tmp_path: Path) -> None:
    """Every test has an empty cache, its own folder for files, passwords that cost nothing, tasks at once."""
    cache.clear()
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.KEPT_ROOT = tmp_path / "kept"
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.fixture
def make(db: None) -> Factory:
    return Factory()


@pytest.fixture
def shared() -> Path:
    """The folder of real collections, beside the repository; without it a test says so."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared/data: the real collections are not on this machine")
    return SHARED


def pytest_report_header() -> str:
    return (
        f"real collections: {'found' if SHARED.is_dir() else 'absent'}; chromium: {shutil.which('chromium')}"
    )

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection
from playwright.sync_api import Browser, sync_playwright
from pytest_django import DjangoDbBlocker, Settings

from pooling.models import Campaign
from tests.browser.chromium import CHROMIUM
from tests.metrics.shared_data import DATA
from tests.support.factory import Factory
from tests.support.postgres import found
from tests.support.proxy import NGINX
from tests.support.server import prepared
from tests.support.stored_campaign import QUICK, StoredCampaign

# No example is too slow: the machine may be, or busy with something else. The same ones in every run, so that
# a fault shows where it comes from; `make fuzz` asks for new ones.
unhurried = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("same examples", unhurried, derandomize=True)
hypothesis.settings.register_profile("new examples", unhurried)
hypothesis.settings.load_profile("same examples")


@pytest.fixture(autouse=True)
def quick_and_apart(settings: Settings, tmp_path: Path) -> None:
    """Every test has an empty cache, own files, quick passwords, no documentation, tasks at once."""
    cache.clear()
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.WHITENOISE_ROOT = None  # also if the documentation was built here
    settings.TASKS, settings.PASSWORD_HASHERS = QUICK["TASKS"], QUICK["PASSWORD_HASHERS"]
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give each process a database of its own, so that two runs of the tests do not disturb each other.

    On SQLite it is a file, as in life: the server of the browser tests has threads.
    """
    test = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        test["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
        shutil.copy(prepared() / "jurypool.sqlite3", test["NAME"])
    else:
        test["NAME"] = f"test_{connection.settings_dict['NAME']}_{os.getpid()}"


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Whether the tables may be there before migrations are applied: on SQLite they are copied."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start one Chromium in a process: Playwright runs only once in a thread."""
    if not CHROMIUM:
        missing = "no Chromium: install it, or name it in CHROMIUM (Debian: apt install chromium)"
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def make(db: None) -> Factory:
    return Factory()


@pytest.fixture(scope="module")
def stored_campaign(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[StoredCampaign]:
    """What `build_campaign` of a module makes: once, because tests spend most of their time on data."""
    stored = StoredCampaign(
        request.module.build_campaign, django_db_blocker, tmp_path_factory.mktemp("files")
    )
    stored.store()
    StoredCampaign.of_module = stored
    yield stored
    stored.remove()
    StoredCampaign.of_module = None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """See that a test has the campaign of its module if it asks for it, and only then."""
    if stored := StoredCampaign.of_module:
        asks = "stored_campaign" in getattr(item, "fixturenames", ())
        (stored.store if asks else stored.remove)()


@pytest.fixture
def campaign(stored_campaign: StoredCampaign, db: None, settings: Settings) -> Campaign:
    """The campaign of a module that has `build_campaign`, with own copies of its files."""
    return stored_campaign.open(settings)


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Keep the test's own connection, and with it what the test made, from one request to the next."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of collections that are not on this machine. They are a tier, not skipped tests."""
    absent = [
        item
        for item in items
        for marker in item.iter_markers("collection")
        if not (DATA / marker.args[0]).is_dir()
    ]
    if absent:
        config.hook.pytest_deselected(items=absent)
        items[:] = [item for item in items if item not in absent]


def pytest_configure() -> None:
    """Refuse to run in CI without a program that tests need: a test that is skipped there proves nothing."""
    needed = {"chromium": CHROMIUM, "nginx": NGINX, "PostgreSQL": found()}
    missing = [name for name, there in needed.items() if not there]
    if os.environ.get("CI") and missing:
        raise pytest.UsageError(f"CI runs every test: install {', '.join(missing)}")


def pytest_report_header() -> str:
    return f"collections beside the repository: {'yes' if DATA.is_dir() else 'no'}; chromium: {CHROMIUM}"

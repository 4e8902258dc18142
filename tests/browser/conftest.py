"""A real Chromium against a live server. Without one, the tests are skipped; in CI nothing runs then."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.signals import request_finished, request_started
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.factory import PASSWORD, Factory

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright runs a loop in this thread

CUT_OFF = (  # what Chromium and htmx log when a request is replaced, the network is cut or somebody signs out
    "htmx:sendAbort",
    "Failed to load resource",
    "Response Status Error Code 403",
    "htmx:afterRequest",
    "htmx:sendError",
)
UNDER_AXE: set[Page] = set()
# Without preload axe does not copy imported stylesheets into the page, which the content policy would block.
# Only the rule css-orientation-lock reads them, which is experimental and therefore off.
LOOK_FOR_VIOLATIONS = """
    axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => violations)
"""

PATIENCE = 30_000  # milliseconds: a machine may have more to do than this
expect.set_options(timeout=PATIENCE)


@contextmanager
def awaited_requests() -> Iterator[None]:
    """At the end, wait for the requests that the live server still answers.

    A page that is closed ends no request, and the test's tables are emptied next: on PostgreSQL the two would
    wait for each other.
    """
    running, changed = [0], threading.Condition()

    def count(step: int) -> None:
        if threading.current_thread() is not threading.main_thread():  # that one has Django's test client
            with changed:
                running[0] += step
                changed.notify_all()

    def begin(**kwargs: Any) -> None:
        count(1)

    def end(**kwargs: Any) -> None:
        count(-1)

    request_started.connect(begin)
    request_finished.connect(end)
    try:
        yield
        time.sleep(0.02)  # what is on its way to the server
        with changed:
            assert changed.wait_for(lambda: running[0] <= 0, PATIENCE / 1000), "requests that do not end"
    finally:
        request_started.disconnect(begin)
        request_finished.disconnect(end)


@pytest.fixture
def make(transactional_db: None) -> Factory:
    return Factory()


@pytest.fixture
def open_page(chromium: Browser, live_server: LiveServer) -> Iterator[Callable[..., Page]]:
    """Open a window of its own, signed in; it may not log an error, nor break the content policy."""
    contexts, complaints = [], []

    def listen(message: ConsoleMessage) -> None:
        expected = message.page in UNDER_AXE or message.text.startswith(CUT_OFF)
        if message.type == "error" and not expected:
            complaints.append(message.text)

    def open_one(name: str = "", **options: Any) -> Page:
        context = chromium.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if name:
            sign_in(page, name)
        return page

    with awaited_requests():
        yield open_one
        for context in contexts:
            context.close()
    assert complaints == []


def violations(page: Page) -> list[dict[str, Any]]:
    """Return what axe-core finds; what it does to the page itself to find it is no complaint of ours."""
    UNDER_AXE.add(page)
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found: list[dict[str, Any]] = page.evaluate(LOOK_FOR_VIOLATIONS)
    UNDER_AXE.discard(page)
    return found


def sign_in(page: Page, name: str) -> None:
    page.goto("/sign-in/")
    page.get_by_label("Sign-in name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


@pytest.fixture
def judge(open_page: Callable[..., Page], make: Factory) -> Page:
    """Alice before the first of three documents."""
    make.make_pooled_campaign()
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/1/")
    return page


def awake(page: Page) -> None:
    expect(page.locator("#judging-screen[data-enabled]")).to_be_visible()


def saved(page: Page, count: int) -> None:
    expect(page.locator("#progress")).to_have_attribute("value", str(count))
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")


def shown(page: Page) -> str:
    return page.locator("#judgment-card").get_attribute("data-docno") or ""

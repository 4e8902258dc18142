"""Judging for an hour without a network, and after the session has ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import JudgmentEvent
from assess.services.assignments import assign
from tests.browser.conftest import awake
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
REQUESTS_ENDED = "new Promise((resolve) => navigator.locks.request('jurypool outbox', resolve))"


@pytest.fixture
def timed(open_page: OpenPage, make: Factory) -> Page:
    """Alice before the first of sixty documents, on a page whose clock stands still."""
    campaign = make.make_campaign()
    topic = make.make_topic(campaign)
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {100 - rank}" for rank in range(60)))
    make.make_pool(campaign, depth=60)
    assign([make.make_user("alice")], [topic])
    page = open_page("alice")
    page.clock.install()
    page.goto("/campaigns/tiny/judge/topics/1/")
    awake(page)
    page.clock.pause_at(page.evaluate("Date.now()") + 2000)
    return page


def test_a_page_that_rested_for_a_minute_has_fifty_documents(timed: Page) -> None:
    with timed.expect_response("**/outbox/"):
        timed.clock.run_for(3100)
    timed.evaluate(REQUESTS_ENDED)
    with timed.expect_response("**/outbox/"):
        timed.clock.run_for(60_000)
    timed.evaluate(REQUESTS_ENDED)
    timed.context.set_offline(True)
    for number in range(50):
        timed.keyboard.press("01"[number % 2])
        timed.clock.run_for(600)
        if not number:
            expect(timed.get_by_role("alert")).to_contain_text(
                "You can go on judging: 48 more documents are here."
            )
    expect(timed.locator("#save")).to_have_text("50 not sent yet, judging stopped")
    timed.context.set_offline(False)
    timed.clock.run_for(60_000)
    expect(timed.locator("#save")).to_have_attribute("data-unsent", "0")
    assert JudgmentEvent.objects.values("pooled").distinct().count() == 50

"""Judging for an hour without a network, and after the session has ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import JudgmentEvent, PanelVote
from assess.services.assignments import assign
from tests.browser.conftest import awake
from tests.support.factory import PASSWORD, Factory

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


@pytest.mark.parametrize(("target", "event"), [("window", "focus"), ("document", "visibilitychange")])
def test_a_judge_who_was_signed_out_signs_in_from_the_message(timed: Page, target: str, event: str) -> None:
    """The clock stands still, and the page after the sign-in has no outbox: neither sends the label."""
    timed.context.clear_cookies(name="sessionid")
    timed.keyboard.press("3")
    timed.clock.run_for(300)
    link = timed.get_by_role("alert").get_by_role("button", name="Sign in")
    expect(timed.get_by_role("alert")).to_contain_text("You are signed out")
    expect(link).to_have_attribute("rel", "noopener")
    expect(timed.get_by_role("button", name="Your campaigns")).to_be_hidden()
    with timed.context.expect_page() as opened:
        link.click()
    tab = opened.value
    tab.route("**/judge/outbox/", lambda route: route.abort())
    tab.get_by_label("Sign-in name").fill("alice")
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Sign in", exact=True).click()
    expect(tab.get_by_role("button", name="Sign out")).to_be_visible()
    assert not JudgmentEvent.objects.exists()
    timed.evaluate(f"{target}.dispatchEvent(new Event('{event}'))")
    expect(timed.locator("#save")).to_have_attribute("data-unsent", "0")
    expect(link).to_be_hidden()
    assert JudgmentEvent.objects.get().relevance == 3


@pytest.mark.parametrize("path", ["judge/", "judge/labels/", "panels/", "panels/{panel}/topics/1/"])
def test_a_page_of_a_judge_names_and_sends_the_labels_that_wait(
    open_page: OpenPage, make: Factory, path: str
) -> None:
    campaign = make.make_pooled_campaign()
    panel = make.make_panel(campaign)
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/1/")
    awake(page)
    page.context.route("**/judge/outbox/", lambda route: route.abort())
    page.keyboard.press("2")
    expect(page.get_by_role("alert")).to_contain_text("1 label is stored in this browser")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"/campaigns/tiny/{path.format(panel=panel.pk)}")
    place = page.locator("[data-unsent][data-outbox*='/judge/outbox/']")
    waits = "1" if path == "judge/" else "1 label is not sent yet. The server does not answer."
    expect(place).to_have_text(waits)
    page.context.unroute("**/judge/outbox/")
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(place).to_have_text("0" if path == "judge/" else "0 labels are not sent yet.")
    assert place.is_hidden() != (path == "judge/")
    assert JudgmentEvent.objects.get().relevance == 2


@pytest.mark.parametrize("path", ["judge/", "panels/"])
def test_my_topics_and_side_by_side_send_the_votes_that_wait(
    open_page: OpenPage, make: Factory, path: str
) -> None:
    panel = make.make_panel(make.make_pooled_campaign())
    page = open_page("alice")
    page.goto(f"/campaigns/tiny/panels/{panel.pk}/topics/1/")
    expect(page.locator("#vote[data-enabled]")).to_be_visible()
    page.context.route("**/panels/outbox/", lambda route: route.abort())
    page.wait_for_timeout(500)
    page.keyboard.press("e")
    expect(page.get_by_role("alert")).to_contain_text("1 vote is stored in this browser")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"/campaigns/tiny/{path}")
    expect(page.get_by_text("1 vote is not sent yet.")).to_be_visible()
    page.context.unroute("**/panels/outbox/")
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("[data-unsent=vote]")).to_be_hidden()
    assert PanelVote.objects.get().choice == "equal"

"""The note on a topic in a real browser: stored while the judge types, and typed words label nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import JudgmentEvent, TopicNote
from pooling.models import Campaign
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
URL = "/campaigns/tiny/judge/topics/1/"
DRAFTS = "() => Object.keys(localStorage).filter((key) => key.startsWith('jurypool note '))"
KEEP = """(text) => {
    const { judge } = document.getElementById("judging-screen").dataset;
    const { url } = document.getElementById("note").dataset;
    localStorage.setItem(`jurypool note ${judge} ${url}`, text);
}"""


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "The heart of it.", title="A heart")
    return campaign


def test_a_note_is_stored_as_it_is_typed_and_labels_nothing(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("alice")
    page.goto(URL)
    page.locator("#notes summary").click()
    page.locator("#note").press_sequentially("0 1 2 dates count", delay=20)
    expect(page.locator("#note-state")).to_have_text("saved")
    assert TopicNote.objects.get().text == "0 1 2 dates count"
    assert not JudgmentEvent.objects.exists()
    page.reload()
    expect(page.locator("#note")).to_be_visible()  # open, because there is a note
    expect(page.locator("#note")).to_have_value("0 1 2 dates count")


def test_what_the_server_did_not_take_stays_in_the_browser(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("alice")
    page.goto(URL)
    page.locator("#notes summary").click()
    page.route(
        "**/note/", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    page.locator("#note").fill("Written in the train.")
    expect(page.locator("#note-state")).to_have_text(re.compile("not saved: no answer"))
    page.unroute("**/note/")
    page.reload()
    expect(page.locator("#note-state")).to_have_text("saved")
    assert TopicNote.objects.get().text == "Written in the train."


def test_two_devices_keep_both_texts(campaign: Campaign, open_page: OpenPage) -> None:
    desk, phone = open_page("alice"), open_page("alice")
    for page in (desk, phone):
        page.goto(URL)
        page.locator("#notes summary").click()
    desk.locator("#note").fill("From the desk.")
    expect(desk.locator("#note-state")).to_have_text("saved")
    phone.locator("#note").fill("From the phone.")
    expect(phone.locator("#note")).to_have_value(re.compile("From the phone.[^$]*From the desk."))
    expect(phone.locator("#note-state")).to_have_text("saved")
    text = TopicNote.objects.get().text
    assert "From the phone." in text and "From the desk." in text


def test_a_draft_that_the_server_has_never_replaces_a_newer_note(
    campaign: Campaign, open_page: OpenPage
) -> None:
    page = open_page("alice")
    page.goto(URL)
    page.locator("#notes summary").click()
    page.locator("#note").fill("Only sailing boats.")
    expect(page.locator("#note-state")).to_have_text("saved")
    page.evaluate(KEEP, "Only sailing boats.")  # as if the answer of the server had not arrived
    page.reload()
    expect(page.locator("#note")).to_have_value("Only sailing boats.")
    assert page.evaluate(DRAFTS) == []
    TopicNote.objects.update(text="Rowing boats, too.")  # by another device
    page.reload()
    expect(page.locator("#note")).to_have_value("Rowing boats, too.")

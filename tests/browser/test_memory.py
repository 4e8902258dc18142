"""The mark *unsure* and the own examples in a real browser: nothing on the way to the next label."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import Judgment, JudgmentEvent
from pooling.models import Campaign
from tests.browser.conftest import saved
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
URL = "/campaigns/tiny/judge/topics/1/"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"The text of {docno}.", title=docno)
    return campaign


def press(page: Page, key: str) -> None:
    page.locator("#judging-screen[data-enabled]").wait_for()
    page.keyboard.press(key)


def test_the_mark_goes_with_one_label_and_can_be_taken_back(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("alice")
    page.goto(URL)
    mark = page.get_by_role("button", name="Unsure")
    first = page.locator("#judgment-card").get_attribute("data-docno")
    press(page, "w")
    expect(mark).to_have_attribute("aria-pressed", "true")
    press(page, "2")
    expect(page.locator("#judgment-card")).not_to_have_attribute("data-docno", str(first))
    expect(mark).to_have_attribute("aria-pressed", "false")
    press(page, "1")
    saved(page, 2)
    assert [event.unsure for event in JudgmentEvent.objects.order_by("pk")] == [True, False]

    for _ in range(2):
        press(page, "u")
    expect(page.locator("#judgment-card")).to_have_attribute("data-docno", str(first))
    expect(mark).to_have_attribute("aria-pressed", "true")
    press(page, "w")
    press(page, "o")  # the changed mark goes with the same label once more
    saved(page, 3)
    event = Judgment.objects.get(pooled__docno=first, judge__username="alice").event
    assert (event.relevance, event.unsure) == (2, False)


def test_examples_lie_over_the_document_and_leave_the_grades_free(
    campaign: Campaign, open_page: OpenPage
) -> None:
    page = open_page("alice")
    page.goto(URL)
    press(page, "2")
    saved(page, 1)
    press(page, "v")
    examples = page.get_by_role("dialog", name="My examples")
    expect(examples.locator("li")).to_have_count(1)
    press(page, "0")
    saved(page, 2)
    expect(examples).to_be_visible()
    page.keyboard.press("Escape")
    expect(examples).to_be_hidden()
    press(page, "v")
    expect(examples.locator("li")).to_have_count(2)

"""The mark *unsure* and the own examples in a real browser: nothing on the way to the next label."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import JudgingPlan, Judgment, JudgmentEvent, OwnTerms
from assess.services.plans import change_plan
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


def test_reading_settings_stay_in_the_browser(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("alice")
    page.goto(URL)
    page.locator("#reading summary").click()
    page.get_by_label("Colours").select_option("dark")
    page.get_by_label("Typeface").select_option("sans")
    page.locator("#reading-width").select_option("s")
    page.get_by_label("Break after documents").fill("2")
    page.get_by_label("Break after documents").press("Tab")
    expect(page.get_by_label("Break after documents")).to_be_focused()  # too few: the browser says why
    page.get_by_label("Break after documents").fill("5")
    page.get_by_label("or after minutes").focus()
    page.reload()
    page.locator("#judging-screen[data-enabled]").wait_for()
    root = page.locator("html")
    for name, value in (("theme", "dark"), ("face", "sans"), ("width", "s")):
        expect(root).to_have_attribute(f"data-{name}", value)
    expect(page.get_by_label("Break after documents")).to_have_value("5")
    assert page.locator("#judgment-card").bounding_box()["width"] <= 480  # type: ignore[index]


def test_a_term_stays_with_the_topic_on_every_device(campaign: Campaign, open_page: OpenPage) -> None:
    desk = open_page("alice")
    desk.goto(URL)
    press(desk, "/")
    desk.locator("#own-term").fill("text")
    desk.locator("#own-term").press("Enter")
    expect(desk.locator("#own-terms button")).to_have_text("text 1 ×")
    expect(desk.locator("#judgment-card mark[data-own]")).to_have_count(1)
    desk.keyboard.press("Escape")
    expect(desk.locator("#terms")).to_be_hidden()
    phone = open_page("alice")
    phone.goto(URL)
    expect(phone.locator("#judgment-card mark[data-own]")).to_have_count(1)
    phone.goto("/campaigns/tiny/judge/topics/2/")
    expect(phone.locator("#judgment-card")).to_be_visible()
    expect(phone.locator("mark[data-own]")).to_have_count(0)


def test_a_term_that_the_server_did_not_get_is_sent_later(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("alice")
    page.goto(URL)
    page.route("**/terms/", lambda route: route.abort())
    press(page, "/")
    page.locator("#own-term").fill("text")
    page.locator("#own-term").press("Enter")
    expect(page.locator("#own-terms button")).to_have_text("text 1 ×")
    assert not OwnTerms.objects.exists()
    page.unroute("**/terms/")
    with page.expect_response("**/terms/"):
        page.reload()
    assert OwnTerms.objects.get().terms == ["text"]


def test_a_passage_comes_first_and_a_key_opens_the_whole_text(
    campaign: Campaign, open_page: OpenPage
) -> None:
    campaign.topics.filter(number="1").update(title="boats that float")
    filler = "Nothing is said of it in this paragraph, which is here for its length alone. " * 8
    campaign.documents.update(text=f"{filler}\n\nBoats float on water.\n\n{filler}\n\nThe end.")
    change_plan(campaign, passage_first=JudgingPlan.PassageFirst.ALWAYS)
    page = open_page("alice")
    page.goto(URL)
    passage, whole = page.locator(".first-passage"), page.locator(".whole-text")
    expect(passage).to_contain_text("Boats float on water.")
    expect(whole).to_be_hidden()
    press(page, "2")  # the passage decides
    expect(page.locator("#place")).to_have_text("2")
    expect(whole).to_be_hidden()
    press(page, "p")
    expect(whole).to_contain_text("The end.")
    expect(passage).to_be_hidden()
    press(page, "0")
    expect(page.locator("#place")).to_have_text("3")
    press(page, "n")  # a hit may be anywhere in the text
    expect(whole.locator("mark.current")).to_be_visible()
    press(page, "1")
    expect(page.get_by_role("heading", name="Topic 1 is finished")).to_be_visible()
    assert [event.read for event in JudgmentEvent.objects.order_by("pk")] == ["passage", "opened", "opened"]

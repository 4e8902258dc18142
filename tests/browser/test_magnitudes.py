"""Magnitudes in the browser: a sitting by keys, offline, undo, what is no number, a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import Magnitude, MagnitudeSet, MagnitudeTask
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
COUNT = 5  # documents


@pytest.fixture
def magnitudes(make: Factory) -> MagnitudeSet:
    """Magnitudes of one topic by alice."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "boats that float")
    docnos = [f"D{number:02}" for number in range(1, COUNT + 1)]
    make.make_run(campaign, "\n".join(f"1 {docno} {99 - place}" for place, docno in enumerate(docnos)))
    make.make_pool(campaign, depth=COUNT)
    for docno in docnos:
        make.make_document(campaign, docno, f"This is {docno}, on boats.\n\n" * 40, f"On {docno}")
    return make.make_magnitudes(campaign, ("alice",), instructions="Twice as useful, twice the number.")


def begin(open_page: OpenPage) -> Page:
    page = open_page("alice")
    page.goto("/campaigns/tiny/magnitudes/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    return page


def enabled(page: Page) -> None:
    """Wait until the page takes a number that cannot be the second press of a double press any more."""
    expect(page.locator("#vote[data-enabled]")).to_be_visible()
    page.wait_for_timeout(600)


def sent(page: Page) -> None:
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")


def gone(page: Page, task: MagnitudeTask) -> None:
    expect(page.locator(f"#judgment-card[data-entry='{task.pk}']")).to_have_count(0)


def on_screen(page: Page) -> MagnitudeTask:
    """Return the task on screen, after looking that its document is shown and that no number is."""
    key = int(page.locator("#judgment-card").get_attribute("data-entry") or 0)
    task = MagnitudeTask.objects.select_related("pooled").get(pk=key)
    expect(page.locator(".ballot-text")).to_contain_text(f"This is {task.pooled.docno},")
    expect(page.get_by_label("Relevance, as a number")).to_have_value("")
    return task


def give(page: Page, number: str) -> MagnitudeTask:
    """Type a number without going to its field first, and Enter."""
    task = on_screen(page)
    enabled(page)
    page.keyboard.type(number)
    expect(page.get_by_label("Relevance, as a number")).to_have_value(number)
    page.keyboard.press("Enter")
    gone(page, task)
    return task


def test_a_sitting_by_keys_loses_and_doubles_nothing(magnitudes: MagnitudeSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    assert violations(page) == []
    with page.expect_response("**/magnitudes/outbox/"):
        expected = {give(page, "40").pk: "40"}
    sent(page)
    page.context.set_offline(True)
    expected |= {give(page, ".5").pk: ".5"}
    page.context.set_offline(False)
    sent(page)
    page.reload()
    assert on_screen(page).pk not in expected
    expected |= {give(page, "1/3").pk: "1/3"}
    left = on_screen(page)
    enabled(page)
    page.keyboard.press("x")
    gone(page, left)
    expected |= {left.pk: Magnitude.CANNOT}
    while page.locator("#judgment-card").count():
        expected |= {give(page, "120").pk: "120"}
    expect(page.get_by_text("You have finished")).to_be_visible()
    stored = Magnitude.objects.values_list("task", "number")
    assert len(stored) == magnitudes.tasks.count() == COUNT and dict(stored) == expected


def test_what_is_no_number_above_0_stays_on_screen(magnitudes: MagnitudeSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    task = on_screen(page)
    field = page.get_by_label("Relevance, as a number")
    for typed in ("", "0", "0.0", "0/5", "1e3", "-", "1/0"):
        field.fill(typed)
        field.press("Enter")
        page.wait_for_timeout(200)
        expect(page.locator(f"#judgment-card[data-entry='{task.pk}']")).to_be_visible()
        expect(field).to_have_value(typed)
    assert not Magnitude.objects.exists()
    field.fill("7")
    page.get_by_role("button", name="Store").click()
    gone(page, task)
    sent(page)
    assert Magnitude.objects.get().number == "7"


def test_undo_brings_a_document_back_and_a_new_number_replaces_the_old(
    magnitudes: MagnitudeSet, open_page: OpenPage
) -> None:
    page = begin(open_page)
    first = give(page, "40")
    sent(page)
    page.keyboard.press("u")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_be_visible()
    expect(page.get_by_text("Taken back: 40.")).to_be_visible()
    sent(page)
    assert give(page, "20") == first
    sent(page)
    assert [each.number for each in first.magnitudes.all()] == ["40", "", "20"]


def test_a_second_enter_of_a_double_press_is_no_number_of_the_next(
    magnitudes: MagnitudeSet, open_page: OpenPage
) -> None:
    page = begin(open_page)
    page.keyboard.type("40")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("40")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    sent(page)
    assert Magnitude.objects.count() == 1


def test_a_phone_shows_all(magnitudes: MagnitudeSet, open_page: OpenPage) -> None:
    page = open_page("alice")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/campaigns/tiny/magnitudes/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    box = page.locator(".ballot-text").bounding_box()
    assert box and box["height"] > 150
    expect(page.get_by_role("button", name="Store")).to_be_in_viewport()
    assert violations(page) == []

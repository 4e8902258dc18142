"""Nuggets of answers in the browser: a sitting by keys, offline, undo, evidence, a phone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from assess.matchings.queries.tasks import standing_labels
from assess.models import Matching, MatchingTask, NuggetLabel
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
TAGS = ("zebra-one", "zebra-two", "zebra-three")
NUGGETS = {"1": [("It floats", "vital"), ("It is light", "okay")], "2": [("It sinks", "vital")]}
SUPPORT, PARTIAL, NONE = "support", "partial_support", "not_support"


@pytest.fixture
def matching(make: Factory) -> Matching:
    campaign = make.make_campaign()
    for number in NUGGETS:
        make.make_topic(campaign, number, f"question {number}")
    for tag in TAGS:
        answers = {
            number: [
                (f"Answer {tag[6:]} to {number}.", ["D1"]),
                *[(f"Sentence {n} fills it.", []) for n in range(2, 60)],
            ]
            for number in NUGGETS
        }
        make.make_answer_run(campaign, answers, tag, "zebra-group")
    make.make_bank(campaign, NUGGETS)
    return make.make_matching(campaign, ("alice",))


def begin(open_page: OpenPage) -> Page:
    page = open_page("alice")
    page.goto("/campaigns/tiny/matchings/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    return page


def enabled(page: Page) -> None:
    """Wait until the page takes labels."""
    expect(page.locator("#vote[data-enabled]")).to_be_visible()


def sent(page: Page) -> None:
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")


def open_nugget(page: Page) -> Locator:
    return page.locator(".match-nuggets li[aria-current]")


def on_screen(page: Page) -> MatchingTask:
    """Return the task on screen, after looking that its answer is the one that is shown."""
    key = int(page.locator("#judgment-card").get_attribute("data-entry") or 0)
    task = MatchingTask.objects.select_related("answer__run", "answer__topic").get(pk=key)
    sentence = f"Answer {task.answer.run.tag[6:]} to {task.answer.topic.number}."
    expect(page.locator(".match-sentences .sentence").first).to_contain_text(sentence)
    assert "zebra" not in page.content()
    return task


def press(page: Page, *keys: str) -> None:
    """Press keys of one label; nobody has pressed just before."""
    enabled(page)
    page.wait_for_timeout(600)  # no second press of a double press any more
    for key in keys:
        page.keyboard.press(key)


def label_all(page: Page, *keys: str) -> MatchingTask:
    """Give the same label to every nugget of the answer on screen."""
    task = on_screen(page)
    for _ in NUGGETS[task.answer.topic.number]:
        press(page, *keys)
    expect(page.locator(f"#judgment-card[data-entry='{task.pk}']")).to_have_count(0)
    return task


def labels_of(task: MatchingTask) -> list[tuple[str, int | None]]:
    return [(each.assignment, each.sentence) for each in standing_labels([task]).order_by("nugget__place")]


def test_a_sitting_by_keys_loses_and_doubles_nothing(matching: Matching, open_page: OpenPage) -> None:
    page = begin(open_page)
    assert violations(page) == []
    with page.expect_response("**/matchings/outbox/"):
        first = label_all(page, "ArrowDown", "1")
    sent(page)  # and with the answer come the next ones
    page.context.set_offline(True)
    second = on_screen(page)
    press(page, "0")
    expect(open_nugget(page)).to_contain_text("It is light")
    press(page, "ArrowDown", "ArrowDown", "2")
    expect(page.locator(f"#judgment-card[data-entry='{second.pk}']")).to_have_count(0)
    page.context.set_offline(False)
    sent(page)
    page.reload()
    enabled(page)
    assert on_screen(page) not in (first, second)
    while page.locator("#judgment-card").count():
        label_all(page, "0")
        page.wait_for_load_state("networkidle")
    expect(page.get_by_text("You have finished")).to_be_visible()
    assert labels_of(first) == [(SUPPORT, 1), (SUPPORT, 1)]
    assert labels_of(second) == [(NONE, None), (PARTIAL, 2)]
    assert NuggetLabel.objects.count() == 9


def test_a_label_that_is_not_sent_yet_stands_after_a_reload(matching: Matching, open_page: OpenPage) -> None:
    page = begin(open_page)
    page.route("**/matchings/outbox/", lambda route: route.abort())
    press(page, "1")
    expect(open_nugget(page)).to_contain_text("It is light")
    page.reload()
    expect(open_nugget(page)).to_contain_text("It is light")
    expect(page.locator(".match-nuggets li").first).to_contain_text("support")
    assert not NuggetLabel.objects.exists()
    page.unroute("**/matchings/outbox/")
    page.get_by_role("button", name="Try now").click()
    sent(page)
    assert NuggetLabel.objects.get().assignment == SUPPORT


def test_undo_takes_labels_back_one_by_one(matching: Matching, open_page: OpenPage) -> None:
    page = begin(open_page)
    first = label_all(page, "ArrowDown", "1")
    sent(page)
    page.keyboard.press("u")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_be_visible()
    expect(open_nugget(page)).to_contain_text("It is light")
    sent(page)
    assert labels_of(first) == [(SUPPORT, 1)]
    page.keyboard.press("u")
    expect(open_nugget(page)).to_contain_text("It floats")
    sent(page)
    assert labels_of(first) == []
    press(page, "0")
    expect(open_nugget(page)).to_contain_text("It is light")
    press(page, "2")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_have_count(0)
    sent(page)
    assert labels_of(first) == [(NONE, None), (PARTIAL, None)]


def test_an_answered_nugget_can_be_opened_and_changed(matching: Matching, open_page: OpenPage) -> None:
    page = begin(open_page)
    task = on_screen(page)
    assert page.locator("[name=assignment][aria-pressed=true]").count() == 0
    page.locator(".match-sentences .sentence").nth(2).click()
    press(page, "1")
    expect(open_nugget(page)).to_contain_text("It is light")
    assert page.locator(".sentence[aria-current]").count() == 0
    page.get_by_role("link", name="It floats").click()
    expect(page.locator("[name=assignment][aria-pressed=true]")).to_have_attribute("value", "support")
    expect(page.locator(".sentence[aria-current]")).to_contain_text("Sentence 3 fills it.")
    press(page, "ArrowUp")
    page.get_by_role("button", name="Partial").click()
    expect(open_nugget(page)).to_contain_text("It is light")
    sent(page)
    assert labels_of(task) == [(PARTIAL, 2)]
    page.keyboard.press("3")  # nobody can say so here
    page.wait_for_timeout(300)
    assert NuggetLabel.objects.count() == 2


def test_a_phone_shows_the_answer_and_the_open_nugget(matching: Matching, open_page: OpenPage) -> None:
    page = begin(open_page)
    page.set_viewport_size({"width": 360, "height": 740})
    page.reload()
    enabled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    box = page.locator(".match-answer").bounding_box()
    assert box and box["height"] > 150
    expect(open_nugget(page)).to_be_visible()
    assert violations(page) == []


def test_a_page_that_was_requested_before_a_label_arrived_does_not_ask_again(
    matching: Matching, open_page: OpenPage
) -> None:
    """The old page delivers the label after the server has rendered the new one, and before that opens."""
    page = begin(open_page)
    held: list[Route] = []
    page.route("**/matchings/outbox/", lambda route: held.append(route))
    page.keyboard.press("1")
    page.wait_for_timeout(300)

    def late(route: Route) -> None:
        response = route.fetch()
        page.unroute("**/matchings/outbox/")
        for each in held:
            each.continue_()
        for _ in range(100):
            if NuggetLabel.objects.exists():
                break
            time.sleep(0.05)
        time.sleep(0.5)  # the old page notes what it has delivered
        route.fulfill(response=response)

    page.route(re.compile(r"/matchings/\d+/$"), late)
    page.reload()
    enabled(page)
    expect(open_nugget(page)).to_contain_text("It is light")
    sent(page)
    assert NuggetLabel.objects.count() == 1

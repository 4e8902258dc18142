"""What a press on the judging screen does: once or twice, by mouse or key, on which keyboard."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from assess.models import JudgmentEvent
from assess.services.assignments import assign
from tests.browser.conftest import awake, saved, shown
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]

GAPS = (120, 220, 300, 350, 400, 480)  # ms between the presses of a double press
BOXES = """() => [...document.querySelectorAll("#grades .grade")].map((button) => {
    const { x, y, width, height } = button.getBoundingClientRect();
    return [x, y, width, height].join(" ");
})"""
KEYDOWN = """(options) => document.body.dispatchEvent(
    new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...options }))"""


@pytest.fixture
def timed(open_page: OpenPage, make: Factory) -> Page:
    """Alice before the first of forty documents, on a page whose clock stands still."""
    campaign = make.make_forty()
    assign([make.make_user("alice")], [campaign.topics.get()])
    page = open_page("alice")
    page.clock.install()
    page.goto("/campaigns/tiny/judge/topics/1/")
    awake(page)
    page.clock.pause_at(page.evaluate("Date.now()") + 2000)
    return page


def press_once(page: Page, way: str, clicks: int = 1) -> None:
    if way == "key":
        return page.keyboard.press("1")
    box = page.locator("button.grade").last.bounding_box()
    assert box
    page.mouse.move(box["x"] + 50, box["y"] + 10)
    page.mouse.down(click_count=clicks)
    page.mouse.up(click_count=clicks)


@pytest.mark.parametrize("way", ["mouse", "key"])
@pytest.mark.smoke
def test_a_double_press_within_the_time_of_the_system_grades_one_document(timed: Page, way: str) -> None:
    for count, gap in enumerate(GAPS, start=1):
        press_once(timed, way)
        timed.clock.run_for(gap)
        seen = shown(timed)
        press_once(timed, way)
        timed.clock.run_for(1000)
        saved(timed, count)
        assert shown(timed) == seen, f"a press {gap} ms after another one graded the next document"


def test_the_second_click_of_a_double_click_is_ignored_however_slow_the_system_allows(timed: Page) -> None:
    press_once(timed, "mouse")
    timed.clock.run_for(800)
    press_once(timed, "mouse", clicks=2)
    expect(timed.locator("#press-note")).to_have_text("Second press ignored")
    timed.clock.run_for(3000)
    saved(timed, 1)
    expect(timed.locator("#press-note")).to_have_text("")
    timed.keyboard.press("1")
    timed.clock.run_for(100)
    timed.keyboard.press("2")
    expect(timed.locator("#press-note")).to_have_text("Not counted: this had just appeared")
    timed.clock.run_for(500)
    timed.keyboard.press("2")
    expect(timed.locator("#press-note")).to_have_text("")  # this one counts
    timed.clock.run_for(1000)
    saved(timed, 3)


@pytest.mark.smoke
def test_fast_keys_grade_every_document(timed: Page) -> None:
    for key in "0120":
        timed.keyboard.press(key)
        timed.clock.run_for(300)
    saved(timed, 4)
    for _ in range(100):  # until the next cards have come, and one of them takes a press
        timed.clock.run_for(300)
        if timed.locator("#judging-screen[data-enabled]").count():
            break
        time.sleep(0.1)
    timed.clock.run_for(500)  # for it is the same key: earlier, it would be a double press
    timed.keyboard.press("0")
    timed.clock.run_for(1000)
    saved(timed, 5)
    assert list(JudgmentEvent.objects.values_list("relevance", flat=True)) == [0, 1, 2, 0, 0]


def test_undo_moves_no_button(judge: Page) -> None:
    awake(judge)
    before = judge.evaluate(BOXES)
    judge.keyboard.press("2")
    awake(judge)
    judge.keyboard.press("u")
    expect(judge.get_by_role("button", name="Next unjudged o")).to_be_visible()
    assert judge.evaluate(BOXES) == before
    judge.keyboard.press("x")
    expect(judge.locator(".reasons")).to_be_visible()
    assert judge.evaluate(BOXES) == before


def test_while_the_reasons_are_open_a_digit_chooses_one(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("x")
    reasons = judge.locator(".reasons button")
    expect(reasons.first).to_be_focused()
    expect(reasons.nth(1)).to_contain_text("2")
    judge.keyboard.press("9")
    judge.keyboard.press("f")  # a grade's other key
    judge.keyboard.press("2")
    saved(judge, 1)
    event = JudgmentEvent.objects.get()
    assert (event.relevance, event.reason) == (None, JudgmentEvent.Reason.values[1])


def test_escape_closes_the_reasons_and_the_digits_grade_again(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("x")
    expect(judge.locator(".reasons")).to_be_visible()
    judge.keyboard.press("Escape")
    expect(judge.locator(".reasons")).to_be_hidden()
    judge.keyboard.press("2")
    saved(judge, 1)
    assert JudgmentEvent.objects.get().relevance == 2


def test_space_and_enter_press_the_control_that_has_the_focus(judge: Page) -> None:
    awake(judge)
    judge.locator("button.grade").last.focus()
    judge.keyboard.press("Space")
    saved(judge, 1)
    first = JudgmentEvent.objects.get()
    assert first.relevance == 3
    for key in ("Space", "Enter"):
        awake(judge)
        judge.get_by_role("button", name="Previous document").focus()
        judge.keyboard.press(key)
        assert shown(judge) == first.pooled.docno
        awake(judge)
        judge.keyboard.press("o")
    judge.locator("#evidence-box summary").focus()
    was_open = judge.locator("#evidence-box").evaluate("details => details.open")
    judge.keyboard.press("Space")
    assert judge.locator("#evidence-box").evaluate("details => details.open") != was_open


@pytest.mark.parametrize(
    ("event", "relevance"),
    [
        ({"key": "F", "code": "KeyF"}, 3),  # Caps Lock
        ({"key": "ф", "code": "KeyA"}, 0),  # Russian
        ({"key": "δ", "code": "KeyD"}, 2),  # Greek
        ({"key": "é", "code": "Digit2"}, 2),  # French: digits are under Shift
        ({"key": "1", "code": "Digit1", "shiftKey": True}, 1),  # and with it
    ],
    ids=str,
)
def test_keys_work_on_other_keyboards(judge: Page, event: dict[str, str], relevance: int) -> None:
    awake(judge)
    judge.evaluate(KEYDOWN, event)
    saved(judge, 1)
    assert JudgmentEvent.objects.get().relevance == relevance


@pytest.mark.parametrize(
    "event", [{"key": "!", "code": "Digit1", "shiftKey": True}, {"key": "e", "code": "KeyD"}], ids=str
)
def test_a_key_without_an_action_is_not_taken_for_its_neighbour(judge: Page, event: dict[str, str]) -> None:
    awake(judge)
    judge.evaluate(KEYDOWN, event)
    judge.keyboard.press("2")
    saved(judge, 1)
    assert JudgmentEvent.objects.get().relevance == 2


def test_a_key_that_is_pressed_in_the_dialog_of_keys_by_mistake_changes_none(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("?")
    expect(judge.get_by_role("dialog", name="Keys").get_by_role("button", name="Close")).to_be_focused()
    judge.keyboard.press("q")
    judge.keyboard.press("Escape")
    expect(judge.get_by_role("button", name="Previous document u")).to_be_visible()


@pytest.mark.parametrize("way", ["mouse", "key"])
def test_the_second_press_on_a_reason_grades_nothing(judge: Page, way: str) -> None:
    awake(judge)
    judge.keyboard.press("x")
    if way == "key":
        judge.keyboard.press("1")
        judge.wait_for_timeout(300)
        judge.keyboard.press("1")
    else:
        judge.locator(".reasons button").first.dblclick(delay=300)
    saved(judge, 1)
    assert JudgmentEvent.objects.get().reason == JudgmentEvent.Reason.values[0]


def test_a_reason_from_a_menu_opened_on_this_document_is_no_second_press(judge: Page) -> None:
    for place, key in enumerate("14", start=1):
        awake(judge)
        judge.keyboard.press("x")
        judge.keyboard.press(key)  # the second time within half a second after the document came
        saved(judge, place)
    reasons = JudgmentEvent.objects.order_by("pk").values_list("reason", flat=True)
    assert list(reasons) == [JudgmentEvent.Reason.values[0], JudgmentEvent.Reason.values[3]]


def test_a_press_while_the_last_document_is_loading_is_no_label(judge: Page) -> None:
    awake(judge)
    first = shown(judge)
    judge.keyboard.press("2")
    saved(judge, 1)
    judge.reload()
    awake(judge)
    loading = list[Route]()
    judge.route(re.compile(r"/judge/\d+/$"), lambda route: loading.append(route))
    judge.keyboard.press("u")
    judge.keyboard.press("3")
    judge.wait_for_timeout(100)
    loading.pop().continue_()
    expect(judge.locator(f"#judgment-card[data-docno={first}]")).to_be_visible()
    awake(judge)
    assert JudgmentEvent.objects.get().relevance == 2
    judge.keyboard.press("3")
    saved(judge, 1)
    assert list(JudgmentEvent.objects.values_list("pooled__docno", "relevance")) == [(first, 2), (first, 3)]


def test_cards_are_requested_soon_after_the_page_is_opened(timed: Page) -> None:
    with timed.expect_response("**/outbox/"):
        timed.clock.run_for(3100)
    timed.evaluate("new Promise((resolve) => navigator.locks.request('jurypool outbox', resolve))")
    timed.context.set_offline(True)
    for number in range(14):
        assert timed.locator("button.grade").first.is_enabled()
        timed.keyboard.press("01"[number % 2])
        timed.clock.run_for(300)
    expect(timed.locator("#save")).to_have_text("14 not sent yet, judging stopped")

"""The judging screen under fingers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from assess.models import Judgment, JudgmentEvent
from tests.browser.conftest import sign_in
from tests.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


@pytest.fixture
def judge(open_page: OpenPage, make: Factory) -> Page:
    """Alice before the first of three documents."""
    make.make_pooled_campaign()
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/1/")
    return page


def awake(page: Page) -> None:
    expect(page.locator("#judgment-card[data-awake]")).to_be_visible()


def test_a_press_on_a_card_that_nobody_can_have_read_is_no_label(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("2")
    expect(judge.locator("#judgment-card")).to_contain_text("Saved 1")
    judge.keyboard.press("2")  # at once: the card has just come
    awake(judge)
    assert JudgmentEvent.objects.count() == 1


def test_keys_are_dead_in_a_text_field_and_with_a_modifier(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("c")
    judge.keyboard.type("231")
    judge.locator(".reader h1").click()
    judge.keyboard.press("Control+2")
    expect(judge.get_by_label("Only the organiser reads it")).to_have_value("231")
    assert JudgmentEvent.objects.count() == 0


def test_back_shows_the_own_label_and_a_new_one_is_a_new_event(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("2")
    expect(judge.locator("#judgment-card")).to_contain_text("Saved 1")
    awake(judge)
    judge.keyboard.press("u")
    expect(judge.locator("button.grade[aria-pressed=true]")).to_contain_text("Relevant")
    awake(judge)
    judge.keyboard.press("0")
    expect(judge.locator("button.grade[aria-pressed=true]")).to_have_count(0)
    assert list(JudgmentEvent.objects.values_list("relevance", flat=True)) == [2, 0]
    assert Judgment.objects.get().relevance == 0


def test_cannot_judge_takes_a_reason_and_goes_on(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("x")
    judge.get_by_role("button", name="A language that I do not read").click()
    expect(judge.locator("#judgment-card")).to_contain_text("Saved 1")
    assert JudgmentEvent.objects.get().reason == "language"


def test_a_label_that_did_not_arrive_says_so_and_is_sent_once(judge: Page) -> None:
    awake(judge)
    judge.route("**/judge/*/", lambda route: route.abort())
    judge.keyboard.press("1")
    expect(judge.get_by_role("alert")).to_contain_text("Not saved")
    judge.unroute("**/judge/*/")
    judge.keyboard.press("1")
    expect(judge.locator("#judgment-card")).to_contain_text("Saved 1")
    assert JudgmentEvent.objects.get().relevance == 1


def test_an_answer_that_got_lost_does_not_double_the_label(judge: Page) -> None:
    awake(judge)

    def swallow_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    judge.route("**/judge/*/", swallow_answer)
    judge.keyboard.press("3")
    expect(judge.get_by_role("alert")).to_contain_text("Not saved")
    judge.unroute("**/judge/*/")
    judge.keyboard.press("3")
    expect(judge.locator("#judgment-card")).to_contain_text("Saved 1")
    assert JudgmentEvent.objects.count() == 1


@pytest.mark.parametrize("lost", [{"name": "sessionid"}, {}], ids=["the session", "every cookie"])
def test_a_judge_who_was_signed_out_loses_no_label(judge: Page, lost: dict[str, str]) -> None:
    awake(judge)
    judge.context.clear_cookies(**lost)
    judge.keyboard.press("3")
    expect(judge.get_by_role("alert")).to_contain_text("Not saved: you are signed out")
    sign_in(judge.context.new_page(), "alice")
    judge.keyboard.press("3")
    expect(judge.locator("#judgment-card")).to_contain_text("Saved 1")
    assert JudgmentEvent.objects.get().relevance == 3


def test_the_screen_works_without_javascript(open_page: OpenPage, make: Factory) -> None:
    make.make_pooled_campaign()
    page = open_page("alice", java_script_enabled=False)
    page.goto("/campaigns/tiny/judge/topics/2/")
    page.get_by_role("button", name="Complete").click()
    expect(page.get_by_role("heading", name="Topic 2 is done")).to_be_visible()
    assert JudgmentEvent.objects.get().source == "click"

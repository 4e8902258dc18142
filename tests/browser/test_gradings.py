"""Grades of whole answers in the browser: a sitting by keys, offline, undo, a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import GivenGrades, Grading, GradingTask
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
TAGS = ("zebra-one", "zebra-two", "zebra-three")


@pytest.fixture
def grading(make: Factory) -> Grading:
    campaign = make.make_campaign()
    make.make_document(campaign, "D1", "Ships float because they are light.\n\n" * 30, "On ships")
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"question {number}")
    for tag in TAGS:
        answers = {
            number: [
                (f"Answer {tag[6:]} to {number}.", ["D1"]),
                *[(f"Sentence {n} fills it.", []) for n in range(60)],
            ]
            for number in ("1", "2")
        }
        make.make_answer_run(campaign, answers, tag, "zebra-group")
    return make.make_grading(campaign, ("alice",))


def begin(open_page: OpenPage) -> Page:
    page = open_page("alice")
    page.goto("/campaigns/tiny/gradings/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    return page


def enabled(page: Page) -> None:
    """Wait until the page takes grades."""
    expect(page.locator("#vote[data-enabled]")).to_be_visible()


def sent(page: Page) -> None:
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")


def on_screen(page: Page) -> GradingTask:
    """Return the task on screen, after looking that its answer is the one that is shown."""
    key = int(page.locator("#judgment-card").get_attribute("data-entry") or 0)
    task = GradingTask.objects.select_related("answer__run", "answer__topic").get(pk=key)
    sentence = f"Answer {task.answer.run.tag[6:]} to {task.answer.topic.number}."
    expect(page.locator(".ballot-text .sentence").first).to_contain_text(sentence)
    assert "zebra" not in page.content()
    return task


def grade(page: Page, *grades: int) -> GradingTask:
    task = on_screen(page)
    enabled(page)
    page.wait_for_timeout(600)  # no second press of a double press any more
    for each in grades:
        page.keyboard.press(f"{each}")
    page.keyboard.press("Enter")
    expect(page.locator(f"#judgment-card[data-entry='{task.pk}']")).to_have_count(0)
    return task


def test_a_sitting_by_keys_loses_and_doubles_nothing(grading: Grading, open_page: OpenPage) -> None:
    page = begin(open_page)
    assert violations(page) == []
    with page.expect_response("**/gradings/outbox/"):
        expected = {grade(page, 2, 1).pk: [2, 1]}
    sent(page)  # and with the answer of the server come the next answers
    page.context.set_offline(True)
    expected |= {grade(page, 0, 2).pk: [0, 2]}
    page.context.set_offline(False)
    sent(page)
    page.reload()
    enabled(page)
    assert on_screen(page).pk not in expected
    while page.locator("#judgment-card").count():
        expected |= {grade(page, 1, 0).pk: [1, 0]}
    expect(page.get_by_text("You have finished")).to_be_visible()
    stored = GivenGrades.objects.values_list("task", "grades")
    assert len(stored) == grading.tasks.count() == 6 and dict(stored) == expected


def test_nothing_is_stored_before_every_criterion_has_a_grade(grading: Grading, open_page: OpenPage) -> None:
    page = begin(open_page)
    first = on_screen(page)
    page.wait_for_timeout(600)
    page.keyboard.press("1")
    page.keyboard.press("9")  # no such grade
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert on_screen(page) == first and not GivenGrades.objects.exists()
    page.get_by_label("all", exact=False).last.check(force=True)
    page.get_by_role("button", name="Store grades").click()
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_have_count(0)
    sent(page)
    assert GivenGrades.objects.get().grades == [1, 2]
    assert page.locator(".criterion input:checked").count() == 0


def test_undo_brings_an_answer_back_with_its_grades(grading: Grading, open_page: OpenPage) -> None:
    page = begin(open_page)
    first = grade(page, 2, 0)
    sent(page)
    page.keyboard.press("u")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_be_visible()
    sent(page)
    assert [each.grades for each in first.given.all()] == [[2, 0], []]
    assert [each.get_attribute("value") for each in page.locator(".criterion input:checked").all()] == [
        "2",
        "0",
    ]
    enabled(page)
    page.wait_for_timeout(600)
    page.keyboard.press("Enter")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_have_count(0)
    sent(page)
    assert first.given.latest("pk").grades == [2, 0]


def test_a_source_opens_and_a_phone_shows_all(grading: Grading, open_page: OpenPage) -> None:
    page = begin(open_page)
    page.keyboard.press("o")
    source = page.locator("#grading-source")
    expect(source.get_by_role("heading", name="On ships")).to_be_visible()
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    page.set_viewport_size({"width": 360, "height": 740})
    page.reload()
    enabled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.locator(".ballot-text")).to_be_visible()
    box = page.locator(".ballot-text").bounding_box()
    assert box and box["height"] > 150
    assert violations(page) == []

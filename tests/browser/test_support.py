"""Support of citations in the browser: a sitting of two judges by keys, marked words, undo, a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import SupportLabel, SupportSet, SupportTask
from assess.support.queries.tasks import standing_labels
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
TOPICS = ("1", "2", "3")
KEYS = {"1": "full", "2": "partial", "0": "none", "x": "cannot"}


@pytest.fixture
def about(make: Factory) -> SupportSet:
    campaign = make.make_campaign()
    for number in TOPICS:
        make.make_topic(campaign, number, f"question {number}")
    make.make_document(campaign, "D1", "Ships float because they are light.\n\n" * 30, "On ships")
    make.make_document(campaign, "D2", "Cargo ships carry goods.", "On cargo")
    for tag in ("zebra-one", "zebra-two"):
        answers = {
            number: [
                (f"Answer {tag[6:]} to {number}: ships float.", ["D1", "D2"]),
                *[(f"Sentence {n} fills it.", []) for n in range(2, 30)],
                ("Ships carry goods.", ["D2"]),
            ]
            for number in TOPICS
        }
        make.make_answer_run(campaign, answers, tag, "zebra-group")
    return make.make_support(campaign)


def begin(open_page: OpenPage, judge: str = "alice") -> Page:
    page = open_page(judge)
    page.goto("/campaigns/tiny/support/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    return page


def enabled(page: Page) -> None:
    """Wait until the page takes a label."""
    expect(page.locator("#vote[data-enabled]")).to_be_visible()


def sent(page: Page) -> None:
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")


def press(page: Page, key: str) -> None:
    """Press a key when it cannot be the second press of a double press any more.

    The page ignores keys for a moment after a citation is on screen; on a busy machine that is later.
    """
    enabled(page)
    page.wait_for_function(
        "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 600, true)))"
    )
    page.keyboard.press(key)


def on_screen(page: Page) -> SupportTask:
    """Return the task on screen, after looking that its sentence and its document are shown."""
    key = int(page.locator("#judgment-card").get_attribute("data-entry") or 0)
    task = SupportTask.objects.select_related("answer__run", "answer__topic").get(pk=key)
    sentence = task.answer.stored_sentences[task.sentence - 1].text
    expect(page.locator(".support-sentences [aria-current]")).to_have_text(sentence)
    expect(page.locator("#name-of-document")).to_contain_text(
        "On ships" if task.docno == "D1" else "On cargo"
    )
    assert "zebra" not in page.content()
    return task


def label(page: Page, key: str) -> SupportTask:
    task = on_screen(page)
    press(page, key)
    expect(page.locator(f"#judgment-card[data-entry='{task.pk}']")).to_have_count(0)
    return task


def test_a_sitting_of_two_judges_loses_doubles_and_misplaces_nothing(
    about: SupportSet, open_page: OpenPage
) -> None:
    pages = [begin(open_page, judge) for judge in ("alice", "bob")]
    assert violations(pages[0]) == []
    expected: dict[int, str] = {}
    for turn, page in enumerate(pages):
        with page.expect_response("**/support/outbox/"):
            expected[label(page, "1").pk] = "full"
        sent(page)  # and with the answer come the next citations
        page.context.set_offline(True)
        expected[label(page, "2").pk] = "partial"
        expected[label(page, "0").pk] = "none"
        expect(page.locator("#alert")).to_contain_text("2 labels are stored in this browser")
        assert SupportLabel.objects.count() == turn * 4 + 1
        page.context.set_offline(False)
        sent(page)
        page.reload()
        enabled(page)
        assert on_screen(page).pk not in expected
        expected[label(page, "x").pk] = "cannot"
        sent(page)
    for page in pages:
        while page.locator("#judgment-card").count():
            key = "120x"[len(expected) % 4]
            expected[label(page, key).pk] = KEYS[key]
        expect(page.get_by_text("You have finished")).to_be_visible()
    stored = list(SupportLabel.objects.values_list("task", "support"))
    assert len(stored) == len(set(stored)) == about.tasks.count() == 36
    assert dict(stored) == expected


def select(page: Page, place: str, words: str) -> None:
    """Select words of a text on the page, as a mouse does."""
    page.locator(place).evaluate(
        """(element, words) => {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const start = node.data.indexOf(words);
                if (start < 0) continue;
                return getSelection().setBaseAndExtent(node, start, node, start + words.length);
            }
        }""",
        words,
    )


def test_words_of_both_sides_are_stored_with_the_label(about: SupportSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    task = on_screen(page)
    page.keyboard.press("m")
    expect(page.locator("#mark-count")).to_have_text("Select words of the sentence first.")
    select(page, ".support-sentences [aria-current]", "ships float")
    page.keyboard.press("m")
    expect(page.locator("#mark-count")).to_have_text("Select words of the document first.")
    select(page, ".support-text .passage", "because they are")
    page.keyboard.press("m")
    expect(page.locator("#mark-count")).to_have_text("1 pair of words marked")
    label(page, "1")
    expect(page.locator("#mark-count")).to_be_empty()
    sent(page)
    stored = SupportLabel.objects.get()
    assert stored.task_id == task.pk and stored.source == "key"
    assert stored.marks == [{"sentence": "ships float", "document": "because they are"}]


def test_undo_brings_the_citation_back_and_takes_its_label_back(
    about: SupportSet, open_page: OpenPage
) -> None:
    page = begin(open_page)
    first = on_screen(page)
    page.get_by_role("button", name="Partial").dblclick()
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_have_count(0)
    sent(page)
    assert SupportLabel.objects.get().support == "partial"
    press(page, "u")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_be_visible()
    expect(page.locator("[name=support][aria-pressed=true]")).to_contain_text("Partial")
    sent(page)
    assert standing_labels([first]) == {}


def test_a_phone_shows_the_sentence_above_the_document(about: SupportSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    page.set_viewport_size({"width": 360, "height": 740})
    page.reload()
    enabled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.locator(".support-sentences p:visible")).to_have_count(1)
    boxes = [page.locator(place).bounding_box() for place in (".support-answer", ".support-document")]
    assert boxes[0] and boxes[1] and boxes[1]["height"] > boxes[0]["height"] > 100
    assert violations(page) == []

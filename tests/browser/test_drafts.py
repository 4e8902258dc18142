"""What a judge typed or selected besides the grade, and labels that do not get through."""

from __future__ import annotations

import pytest
from playwright.sync_api import Dialog, Page, Request, Route, expect

from assess.models import Judgment, JudgmentEvent
from pooling.checksum import text_hash
from pooling.models import Campaign, Document
from tests.browser.conftest import awake, saved, shown
from tests.support.factory import Factory

pytestmark = pytest.mark.browser

FIRST_WORDS = """() => {
    const words = document.querySelector("[data-paragraph='0']").firstChild;
    getSelection().setBaseAndExtent(words, 0, words, 4);
}"""
FULL = """() => {
    const store = Storage.prototype.setItem;
    Storage.prototype.setItem = function (...item) {
        if (this === localStorage) throw new DOMException("full", "QuotaExceededError");
        store.apply(this, item);
    };
}"""
ALL_SENT = "() => !Object.keys(localStorage).some((key) => key.startsWith('jurypool label'))"


def write_comment(page: Page, text: str) -> None:
    page.keyboard.press("c")
    page.locator("#comment").fill(text)
    page.keyboard.press("Escape")


def comments() -> list[tuple[int | None, str]]:
    return list(JudgmentEvent.objects.order_by("pk").values_list("relevance", "comment"))


def cut(page: Page) -> None:
    page.context.route("**/judge/outbox/", lambda route: route.abort())


@pytest.mark.parametrize("way", ["reload", "pause", "later"])
def test_a_comment_on_a_document_without_a_label_is_there_when_it_comes_again(judge: Page, way: str) -> None:
    awake(judge)
    first = shown(judge)
    write_comment(judge, "compare with X")
    expect(judge.locator("#comment-state")).to_contain_text("draft")
    if way == "reload":
        judge.reload()
    elif way == "pause":
        judge.get_by_role("link", name="Pause").click()
        judge.get_by_role("button", name="Begin topic 1").click()
    else:
        judge.keyboard.press("l")
        for key in "01":
            awake(judge)
            expect(judge.locator("#comment")).to_have_value("")
            judge.keyboard.press(key)
    awake(judge)
    assert shown(judge) == first
    expect(judge.locator("#comment")).to_have_value("compare with X")
    judge.keyboard.press("2")
    expect(judge.locator(f"#judgment-card[data-docno={first}]")).to_have_count(0)
    judge.wait_for_function(ALL_SENT)
    assert comments()[-1] == (2, "compare with X")
    assert judge.evaluate("Object.keys(localStorage).filter((key) => key.includes('comment ')).length") == 0


@pytest.mark.parametrize("way", ["on", "undo", "pause"])
def test_a_comment_that_is_changed_on_a_labelled_document_is_sent_when_it_is_left(
    judge: Page, way: str
) -> None:
    for key in "21":
        awake(judge)
        judge.keyboard.press(key)
    saved(judge, 2)
    awake(judge)
    judge.keyboard.press("u")
    awake(judge)
    write_comment(judge, "on second thoughts")
    if way == "pause":
        judge.get_by_role("link", name="Pause").click()
        expect(judge.get_by_role("heading", name="My topics")).to_be_visible()
        judge.wait_for_function(ALL_SENT)
    else:
        judge.keyboard.press(way[0])
        saved(judge, 2)
    assert comments() == [(2, ""), (1, ""), (1, "on second thoughts")]
    assert Judgment.objects.count() == 2


def test_a_corrected_grade_keeps_the_evidence_until_it_is_removed(judge: Page, make: Factory) -> None:
    campaign = Campaign.objects.get()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, "These words decide.")
    judge.reload()
    awake(judge)
    judge.evaluate(FIRST_WORDS)
    judge.keyboard.press("e")
    judge.keyboard.press("2")
    saved(judge, 1)
    awake(judge)
    expect(judge.locator("#evidence")).to_have_text("")
    judge.reload()  # from now on the server has to know it
    awake(judge)
    judge.keyboard.press("u")
    expect(judge.locator("#evidence")).to_have_text("“Thes”")
    awake(judge)
    judge.keyboard.press("3")
    saved(judge, 1)
    awake(judge)
    judge.keyboard.press("u")
    awake(judge)
    judge.get_by_role("button", name="Remove").click()
    judge.keyboard.press("1")
    saved(judge, 1)
    quote = {"quote": "Thes", "paragraph": 0, "start": 0}
    assert list(JudgmentEvent.objects.values_list("relevance", "evidence")) == [
        (2, quote),
        (3, quote),
        (1, None),
    ]


def test_the_page_asks_before_it_is_left_while_labels_wait(judge: Page) -> None:
    asked = list[str]()

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    judge.on("dialog", answer)
    awake(judge)
    judge.keyboard.press("1")
    saved(judge, 1)
    judge.reload()
    assert asked == []
    awake(judge)
    cut(judge)
    judge.keyboard.press("1")
    expect(judge.get_by_role("alert")).to_contain_text("1 label is stored in this browser")
    judge.reload()
    assert asked == ["beforeunload"]


def test_a_label_that_is_only_in_the_page_is_not_called_kept(judge: Page) -> None:
    awake(judge)
    judge.evaluate(FULL)
    cut(judge)
    judge.keyboard.press("1")
    expect(judge.get_by_role("alert")).to_contain_text("1 label is in this page only")
    expect(judge.get_by_role("alert")).not_to_contain_text("stored in this browser")
    judge.context.unroute_all()
    saved(judge, 1)


@pytest.mark.parametrize("presses", ["1", "102"], ids=["cards lie ready", "no card is left"])
@pytest.mark.parametrize("status", [503, None], ids=["503", "no answer"])
def test_a_server_that_fails_is_asked_again_after_growing_delays(
    judge: Page, presses: str, status: int | None
) -> None:
    asked = list[str]()
    judge.on("request", lambda request: count(request))

    def count(request: Request) -> None:
        if request.url.endswith("/outbox/"):
            asked.append(request.url)

    def fail(route: Route) -> None:
        route.fulfill(status=status) if status else route.abort()

    awake(judge)
    judge.route("**/judge/outbox/", fail)
    for key in presses:
        awake(judge)
        judge.keyboard.press(key)
    judge.wait_for_timeout(5000)
    assert 1 < len(asked) < 10
    judge.unroute_all()
    judge.get_by_role("button", name="Try now").click()
    expect(judge.locator("#alert")).to_be_hidden()
    assert JudgmentEvent.objects.count() == len(presses)


@pytest.mark.smoke
def test_judging_stops_at_once_when_the_server_refuses(judge: Page) -> None:
    awake(judge)
    judge.route("**/judge/outbox/", lambda route: route.fulfill(status=404))
    judge.keyboard.press("1")
    expect(judge.get_by_role("alert")).to_contain_text("You are no longer a judge of this campaign.")
    expect(judge.locator("#save")).to_have_text("1 not sent yet, judging stopped")
    judge.get_by_role("button", name="Close").click()
    expect(judge.get_by_role("alert")).to_be_hidden()


def test_a_message_goes_with_the_next_press(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("e")
    expect(judge.get_by_role("alert")).to_contain_text("Select words in the document first")
    judge.keyboard.press("1")
    expect(judge.get_by_role("alert")).to_be_hidden()


def test_selected_words_can_be_taken_as_evidence_with_the_mouse(judge: Page, make: Factory) -> None:
    for docno in ("D1", "D2", "D3"):
        make.make_document(Campaign.objects.get(), docno, "These words decide.")
    judge.reload()
    awake(judge)
    judge.get_by_text("Evidence e").click()
    judge.evaluate(FIRST_WORDS)
    judge.get_by_role("button", name="Save as evidence").click()
    expect(judge.locator("#evidence")).to_have_text("“Thes”")


@pytest.fixture
def reading(judge: Page, make: Factory) -> Page:
    """Alice before the first of three documents that have a text."""
    for docno in ("D1", "D2", "D3"):
        make.make_document(Campaign.objects.get(), docno, "These words decide.")
    judge.reload()
    awake(judge)
    return judge


def take_evidence(page: Page) -> None:
    page.evaluate(FIRST_WORDS)
    page.keyboard.press("e")
    expect(page.locator("#evidence")).to_have_text("“Thes”")


def test_evidence_is_a_draft_until_a_label_sends_it(reading: Page) -> None:
    take_evidence(reading)
    reading.reload()
    expect(reading.locator("#evidence")).to_have_text("“Thes”")
    awake(reading)
    reading.keyboard.press("2")
    saved(reading, 1)
    event = JudgmentEvent.objects.get()
    assert event.evidence == {"quote": "Thes", "paragraph": 0, "start": 0}
    assert (
        reading.evaluate("Object.keys(localStorage).filter((key) => key.includes('evidence ')).length") == 0
    )


def test_evidence_that_is_taken_on_a_labelled_document_is_sent_when_it_is_left(reading: Page) -> None:
    reading.keyboard.press("2")
    awake(reading)
    reading.keyboard.press("u")
    take_evidence(reading)
    reading.keyboard.press("o")
    reading.wait_for_function(ALL_SENT)
    quotes = [(event.relevance, (event.evidence or {}).get("quote")) for event in JudgmentEvent.objects.all()]
    assert quotes == [(2, None), (2, "Thes")]


def test_a_refused_label_gives_its_comment_back(reading: Page) -> None:
    first = shown(reading)
    write_comment(reading, "look at this again")
    text = "Another text."
    Document.objects.filter(docno=first).update(text=text, text_hash=text_hash("", text))
    reading.keyboard.press("2")
    expect(reading.get_by_role("alert")).to_contain_text(f"{first}: The text of this document was replaced")
    expect(reading.locator(".last-grades .grade-symbol")).to_have_count(0)
    for key in "01":
        awake(reading)
        assert shown(reading) != first
        reading.keyboard.press(key)
    expect(reading.get_by_text(text)).to_be_visible()
    expect(reading.locator("#comment")).to_have_value("look at this again")


def test_judging_stops_with_a_way_on_when_the_campaign_is_closed(judge: Page) -> None:
    awake(judge)
    write_comment(judge, "too late")
    Campaign.objects.update(state=Campaign.State.CLOSED)
    judge.keyboard.press("1")
    expect(judge.get_by_role("alert")).to_contain_text("The campaign is closed, so the label was not stored.")
    expect(judge.locator("#save")).to_have_text("All saved, judging stopped")
    expect(judge.get_by_role("button", name="Your campaigns")).to_be_visible()
    assert judge.locator("button.grade").first.is_disabled()


def test_another_tab_takes_over_what_was_typed_and_forgets_old_cards(reading: Page) -> None:
    other = reading.context.new_page()
    other.goto(reading.url)
    awake(other)
    first = shown(other)
    write_comment(reading, "from the first tab")
    expect(other.locator("#comment")).to_have_value("from the first tab")
    other.keyboard.press("2")
    expect(reading.locator(f"#judgment-card[data-docno={first}]")).to_have_count(0)
    saved(reading, 1)
    awake(reading)
    reading.keyboard.press("u")
    expect(reading.locator(f"#judgment-card[data-docno={first}]")).to_have_count(0)
    assert comments() == [(2, "from the first tab")]


def test_undo_after_a_reload_shows_a_label_that_is_not_sent_yet(reading: Page) -> None:
    first = shown(reading)
    reading.on("dialog", lambda dialog: dialog.accept())
    cut(reading)
    write_comment(reading, "not to be lost")
    take_evidence(reading)
    reading.keyboard.press("2")
    reading.reload()
    expect(reading.locator(f"#judgment-card[data-docno={first}]")).to_have_count(0)
    awake(reading)
    reading.keyboard.press("u")
    assert shown(reading) == first
    expect(reading.locator("#comment")).to_have_value("not to be lost")
    expect(reading.locator("#evidence")).to_have_text("“Thes”")
    expect(reading.locator("button.grade[aria-pressed=true]")).to_contain_text("Relevant")
    reading.context.unroute_all()

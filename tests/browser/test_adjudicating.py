"""The adjudicator's page under fingers."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import Adjudication, AdjudicationEvent
from assess.queries.judging import cards_of
from assess.services.judging import SubmittedJudgment, record_judgment
from pooling.models import Campaign, Topic
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
URL = "/campaigns/tiny/adjudication/"


@pytest.fixture
def adjudicator(open_page: OpenPage, make: Factory) -> Page:
    """Ada before the first of three disputes."""
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D2", "The heart of it.\n\n" + "Some more words. " * 400, title="A heart")
    for topic, docno, alice, bob in (("1", "D1", 3, 1), ("1", "D2", 0, 3), ("2", "D1", 1, 2)):
        make.make_judgment(campaign, "alice", topic, docno, alice)
        make.make_judgment(campaign, "bob", topic, docno, bob)
    entry = make.entry(campaign, "alice", "1", "D2")
    (card,) = cards_of([entry])
    evidence = {"quote": "heart", "paragraph": 0, "start": 4}
    record_judgment(entry, SubmittedJudgment(uuid.uuid4(), "D2", card.text_hash, 0, evidence=evidence))
    page = open_page("ada")
    page.goto(URL)
    page.keyboard.press("t")
    at(page, "D2")
    return page


def at(page: Page, docno: str) -> None:
    """Wait until this document is open and takes a press."""
    expect(page.locator(".case[data-enabled] header .docno")).to_have_text(docno)


@pytest.mark.smoke
def test_keys_settle_one_after_the_other_with_a_reason(adjudicator: Page) -> None:
    expect(adjudicator.locator("#text mark.selected")).to_have_text("heart")
    adjudicator.keyboard.press("c")
    adjudicator.keyboard.type("0 or 3? The heart")
    adjudicator.keyboard.press("Enter")  # a new line, never a decision
    adjudicator.keyboard.press("Escape")
    adjudicator.keyboard.press("2")
    at(adjudicator, "D1")
    adjudicator.keyboard.press("f")  # the home row
    expect(adjudicator.get_by_role("heading", name="Effect of adjudication")).to_be_visible()
    expect(adjudicator.locator(".case header p").first).to_contain_text("Topic 2")
    at(adjudicator, "D1")
    expect(adjudicator.locator("#save")).to_have_attribute("data-unsent", "0")
    settled = Adjudication.objects.order_by("pk").values_list("pooled__docno", "relevance", "why")
    assert [*settled] == [("D2", 2, "0 or 3? The heart"), ("D1", 3, "")]


def test_settling_swaps_the_case_and_loads_no_page_anew(adjudicator: Page) -> None:
    adjudicator.evaluate("window.isTheSame = true")
    adjudicator.keyboard.press("2")
    at(adjudicator, "D1")
    assert adjudicator.evaluate("window.isTheSame")
    expect(adjudicator.get_by_text("2 documents to settle, 1 settled")).to_be_visible()
    expect(adjudicator.locator(".steps .alert")).to_have_text("2 waiting")


def test_decisions_without_a_network_are_kept_and_sent_later(adjudicator: Page) -> None:
    expect(adjudicator.locator("#dispute-queue")).to_contain_text("document 1 of 3")
    adjudicator.wait_for_load_state("networkidle")  # the next cases are there
    adjudicator.context.set_offline(True)
    adjudicator.keyboard.press("2")
    at(adjudicator, "D1")
    expect(adjudicator.locator("#alert")).to_contain_text("1 decision is stored in this browser")
    assert not AdjudicationEvent.objects.exists()
    adjudicator.context.set_offline(False)
    expect(adjudicator.locator("#save")).to_have_attribute("data-unsent", "0")
    assert AdjudicationEvent.objects.get().relevance == 2


def test_a_case_with_a_new_label_is_refused_by_name_and_keeps_the_reason(
    adjudicator: Page, make: Factory
) -> None:
    adjudicator.wait_for_load_state("networkidle")
    campaign = Campaign.objects.get()
    make.make_judgment(campaign, "bob", "1", "D2", 2)
    adjudicator.keyboard.press("c")
    adjudicator.keyboard.type("The heart")
    adjudicator.keyboard.press("Escape")
    adjudicator.keyboard.press("2")
    expect(adjudicator.locator("#alert")).to_contain_text("D2: A judge changed a label")
    assert not AdjudicationEvent.objects.exists()
    at(adjudicator, "D1")
    adjudicator.keyboard.press("l")
    at(adjudicator, "D2")
    expect(adjudicator.locator("#comment")).to_have_value("The heart")
    adjudicator.keyboard.press("2")
    expect(adjudicator.locator("#save")).to_have_attribute("data-unsent", "0")
    assert AdjudicationEvent.objects.get().relevance == 2


@pytest.mark.parametrize("size", [(1280, 800), (1366, 650)], ids=str)
def test_all_controls_of_a_case_are_above_the_fold(adjudicator: Page, size: tuple[int, int]) -> None:
    adjudicator.set_viewport_size({"width": size[0], "height": size[1]})
    for control in (
        "button.grade >> nth=0",
        "button.grade >> nth=-1",
        "#comment",
        "[data-do=later]",
        ".judge-labels",
    ):
        expect(adjudicator.locator(f".case {control}")).to_be_in_viewport(ratio=0.99)
    assert adjudicator.locator("#text").evaluate("it => it.clientHeight") > 120


def test_words_of_the_topic_are_marked_and_have_keys(adjudicator: Page, make: Factory) -> None:
    Topic.objects.filter(number="1").update(title="hearts and words")
    adjudicator.reload()
    at(adjudicator, "D2")
    expect(adjudicator.locator("#text mark.selected mark[data-hit]")).to_have_text("heart")
    adjudicator.keyboard.press("n")
    expect(adjudicator.locator("#hit-count")).to_have_text("1 of 402")
    adjudicator.keyboard.press("?")
    expect(adjudicator.get_by_role("dialog", name="Keys")).to_be_visible()


def test_on_a_phone_the_step_stays_in_sight_from_case_to_case(adjudicator: Page) -> None:
    adjudicator.set_viewport_size({"width": 360, "height": 800})
    adjudicator.reload()
    for docno in ("D2", "D1"):
        at(adjudicator, docno)
        expect(adjudicator.locator(".steps [aria-current]")).to_be_in_viewport(ratio=0.99)
        if docno == "D2":
            adjudicator.keyboard.press("2")


def test_a_press_on_a_case_that_nobody_can_have_read_settles_nothing(adjudicator: Page) -> None:
    adjudicator.keyboard.press("2")
    adjudicator.keyboard.press("2")  # at once
    at(adjudicator, "D1")
    expect(adjudicator.locator("#save")).to_have_attribute("data-unsent", "0")
    assert AdjudicationEvent.objects.count() == 1


def test_skip_whole_document_and_undo_have_keys(adjudicator: Page) -> None:
    height = adjudicator.locator("#text").evaluate("element => element.clientHeight")
    adjudicator.keyboard.press("o")
    assert adjudicator.locator("#text").evaluate("element => element.clientHeight") > height
    adjudicator.keyboard.press("l")
    at(adjudicator, "D1")
    adjudicator.keyboard.press("c")
    adjudicator.keyboard.type("so")
    adjudicator.keyboard.press("Escape")
    adjudicator.keyboard.press("1")
    expect(adjudicator.locator(".case header p").first).to_contain_text("Topic 2")
    at(adjudicator, "D1")
    adjudicator.keyboard.press("u")
    expect(adjudicator.locator(".case header p").first).to_contain_text("Topic 1")
    expect(adjudicator.locator(".grade[aria-pressed=true]")).to_have_attribute("value", "1")
    expect(adjudicator.locator("#comment")).to_have_value("so")
    expect(adjudicator.locator("#save")).to_have_attribute("data-unsent", "0")
    assert not Adjudication.objects.exists()
    adjudicator.keyboard.press("Control+1")
    at(adjudicator, "D1")
    assert AdjudicationEvent.objects.count() == 2


def test_a_reason_that_must_be_there_is_asked_for_before_anything_is_sent(
    adjudicator: Page, open_page: OpenPage
) -> None:
    carol = open_page("carol")
    carol.goto(URL)
    carol.get_by_label("Adjudicators must give a reason").check()
    carol.get_by_role("button", name="Save setting").click()
    expect(carol.get_by_text("Saved.")).to_be_visible()
    adjudicator.reload()
    at(adjudicator, "D2")
    adjudicator.keyboard.press("2")
    expect(adjudicator.locator("#comment")).to_be_focused()
    adjudicator.locator("#comment").fill("so")
    adjudicator.keyboard.press("Escape")
    adjudicator.keyboard.press("2")
    at(adjudicator, "D1")
    expect(adjudicator.locator("#save")).to_have_attribute("data-unsent", "0")
    assert AdjudicationEvent.objects.get().why == "so"


def test_without_script_it_is_a_plain_form(adjudicator: Page, open_page: OpenPage) -> None:
    page = open_page("carol", java_script_enabled=False)
    at(adjudicator, "D2")
    page.goto(URL)
    page.get_by_role("button", name="Take first document").click()
    expect(page.locator(".case header p").first).to_contain_text("Topic 2")  # ada's page has the other two
    page.get_by_role("button", name="Complete").click()
    expect(page.get_by_text("Other adjudicators have reserved the remaining")).to_be_visible()
    assert Adjudication.objects.get().relevance == 3


@pytest.mark.smoke
@pytest.mark.parametrize("width", [360, 1280])
def test_grades_have_one_order_on_both_screens(adjudicator: Page, open_page: OpenPage, width: int) -> None:
    judging = open_page("alice")
    judging.goto("/campaigns/tiny/judge/topics/1/")
    for page in (judging, adjudicator):
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator("button.grade")).to_have_count(4)
        buttons = page.locator("button.grade").all()
        places = [(box["y"], box["x"]) for button in buttons if (box := button.bounding_box())]
        assert [button.get_attribute("value") for button in buttons] == ["0", "1", "2", "3"]
        assert len(places) == 4 and places == sorted(places), page.url

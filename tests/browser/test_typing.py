"""The page never shows another document while somebody types, and typed words are never grades."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from assess.models import AdjudicationClaim, AdjudicationEvent, JudgmentEvent, PanelVote, QueueEntry
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.services.adjudications import Settlement, settle
from assess.services.assignments import assign
from pooling.models import Campaign
from tests.browser.conftest import awake, shown
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
WORDS = (
    "drawings of 2 flags and masts, 0 or 1 of all; less clear"  # with the keys of grades and of other actions
)
UNSENT = "Object.keys(localStorage).filter((key) => key.startsWith('jurypool label')).length"
ANSWER = "document.getElementById('try-now').click()"  # the page asks the server for cards


@pytest.fixture
def judge(open_page: OpenPage, make: Factory) -> Page:
    """Alice before the first of forty documents, of which the page has the next few."""
    campaign = make.make_forty()
    assign([make.make_user("alice")], list(campaign.topics.all()))
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/1/")
    awake(page)
    return page


def cut(page: Page) -> None:
    page.context.route("**/judge/outbox/", lambda route: route.abort())


def connect(page: Page) -> None:
    page.context.unroute("**/judge/outbox/")
    page.evaluate("dispatchEvent(new Event('online'))")


def judge_until_stopped(page: Page) -> int:
    """Cut the network, label until no card is left, and return the number of labels."""
    page.wait_for_timeout(3500)  # the page has fetched its cards
    cut(page)
    while "stopped" not in (page.locator("#save").text_content() or ""):
        page.keyboard.press("1")
        page.wait_for_timeout(300)
    return int(page.evaluate(UNSENT))


def stays_while_typed(page: Page, move: Callable[[], object]) -> str:
    """Type the first words, let the move begin, type the rest; return the document, which stays."""
    document = shown(page)
    page.keyboard.press("c")
    page.keyboard.type(WORDS[:9])
    move()
    page.keyboard.type(WORDS[9:-5], delay=40)
    expect(page.locator("#press-note")).to_contain_text("The next document follows when you leave the field")
    page.keyboard.type(WORDS[-5:], delay=40)
    expect(page.locator("#comment")).to_have_value(WORDS)
    expect(page.locator("#comment")).to_be_focused()
    assert shown(page) == document
    return document


def rests_after_the_move(page: Page, document: str) -> None:
    """Leave the field: the next document comes, and takes no key until the keys have rested for a second."""
    page.keyboard.press("Escape")
    expect(page.locator(f"#judgment-card:not([data-docno={document}])")).to_be_visible()
    after = shown(page)
    for key in "1c2sul0fd" * 3:
        page.keyboard.press(key)
        page.wait_for_timeout(90)
    assert shown(page) == after
    expect(page.locator("#comment")).to_have_value("")
    awake(page)
    page.keyboard.press("3")
    expect(page.locator(f"#judgment-card:not([data-docno={after}])")).to_be_visible()


def labels() -> dict[str, tuple[int | None, str]]:
    """Return docno -> grade and comment of its last label."""
    rows = JudgmentEvent.objects.order_by("pk").values_list("pooled__docno", "relevance", "comment")
    return {docno: (grade, comment) for docno, grade, comment in rows}


@pytest.mark.smoke
def test_waiting_labels_that_arrive(judge: Page) -> None:
    count = judge_until_stopped(judge)
    document = stays_while_typed(judge, lambda: connect(judge))
    rests_after_the_move(judge, document)
    expect(judge.locator("#save")).to_have_attribute("data-unsent", "0")
    found = labels()
    assert len(found) == count + 1
    assert sorted(grade or 0 for grade, _ in found.values()) == [1] * count + [3]
    assert {docno: comment for docno, (_, comment) in found.items() if comment} == {document: WORDS}


def test_a_label_in_another_tab(judge: Page) -> None:
    other = judge.context.new_page()
    other.goto(judge.url)
    awake(other)
    document = shown(judge)
    assert shown(other) == document

    def label() -> None:
        other.bring_to_front()
        other.keyboard.press("2")
        expect(other.locator(f"#judgment-card:not([data-docno={document}])")).to_be_visible()
        judge.bring_to_front()

    stays_while_typed(judge, label)
    rests_after_the_move(judge, document)
    expect(judge.locator("#save")).to_have_attribute("data-unsent", "0")
    assert sorted(grade or 0 for grade, _ in labels().values()) == [2, 3]


def test_a_document_that_is_given_away(judge: Page) -> None:
    document = shown(judge)

    def give_away() -> None:
        QueueEntry.objects.filter(pooled__docno=document).update(state=QueueEntry.State.AWAY)
        judge.evaluate(ANSWER)

    stays_while_typed(judge, give_away)
    rests_after_the_move(judge, document)
    expect(judge.locator("#save")).to_have_attribute("data-unsent", "0")
    assert [grade for grade, _ in labels().values()] == [3]
    assert drafts(judge) == [WORDS]


def test_keys_rest_after_a_document_that_is_given_away_soon_after_a_press(judge: Page) -> None:
    """The judge expected the document that followed the press, but not the one after it."""
    held = list[Route]()
    judge.route("**/judge/outbox/", lambda route: held.append(route))
    judge.keyboard.press("1")
    awake(judge)
    document = shown(judge)
    QueueEntry.objects.filter(pooled__docno=document).update(state=QueueEntry.State.AWAY)
    held.pop().continue_()
    expect(judge.locator(f"#judgment-card:not([data-docno={document}])")).to_be_visible()
    after = shown(judge)
    for _ in range(4):
        judge.wait_for_timeout(200)
        judge.keyboard.press("3")  # means the document that was given away
    assert shown(judge) == after
    awake(judge)
    judge.keyboard.press("2")
    judge.unroute("**/judge/outbox/")
    judge.evaluate("dispatchEvent(new Event('online'))")
    expect(judge.locator(f"#judgment-card:not([data-docno={after}])")).to_be_visible()
    expect(judge.locator("#save")).to_have_attribute("data-unsent", "0")
    assert labels()[after] == (2, "")


def test_a_label_that_is_refused_for_a_new_text(judge: Page, make: Factory) -> None:
    count = judge_until_stopped(judge)
    make.make_document(Campaign.objects.get(), shown(judge), "A text that the judge has not seen.")
    document = stays_while_typed(judge, lambda: connect(judge))
    rests_after_the_move(judge, document)
    expect(judge.locator("#save")).to_have_attribute("data-unsent", "0")
    assert sorted(grade or 0 for grade, _ in labels().values()) == [1] * (count - 1) + [3]
    assert document not in labels()
    assert drafts(judge) == [WORDS]


def drafts(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        "Object.keys(localStorage).filter((key) => key.includes(' comment ')).map((key) => localStorage[key])"
    )
    return found


@pytest.mark.parametrize("use", ["selection", "dialog", "menu"])
def test_a_selection_a_dialog_and_a_menu_keep_the_document(judge: Page, make: Factory, use: str) -> None:
    judge_until_stopped(judge)
    document = shown(judge)
    if use == "selection":
        judge.locator("#judgment-card h1").dblclick()
    elif use == "dialog":
        judge.keyboard.press("?")
    else:
        judge.locator(".cannot-judge summary").click()
    connect(judge)
    expect(judge.locator("#press-note")).to_contain_text("The next document follows when you")
    assert shown(judge) == document
    judge.keyboard.press("Escape")
    expect(judge.locator(f"#judgment-card:not([data-docno={document}])")).to_be_visible()
    expect(judge.locator("#press-note")).to_be_empty()


def test_a_reason_of_an_adjudicator(open_page: OpenPage, make: Factory) -> None:
    """Another adjudicator settles the case while the reason is typed."""
    campaign = make.make_pooled_campaign()
    for docno, alice, bob in (("D1", 3, 1), ("D2", 0, 3), ("D3", 1, 3)):
        make.make_judgment(campaign, "alice", "1", docno, alice)
        make.make_judgment(campaign, "bob", "1", docno, bob)
    page = open_page("ada")
    page.goto("/campaigns/tiny/adjudication/")
    page.keyboard.press("t")  # take the first case
    case = page.locator(".case[data-enabled] header .docno")
    document = case.text_content() or ""
    page.keyboard.press("c")
    page.keyboard.type(WORDS[:9])
    settled = make.pooled(campaign, "1", document)
    card = dispute_in(CampaignReads(campaign), make.make_user("carol"), settled.pk)
    assert card
    AdjudicationClaim.objects.all().delete()  # the time of the reservation is over
    settle(
        settled,
        make.make_user("carol"),
        Settlement(uuid.uuid4(), document, card.text_hash, card.last_label, 2),
    )
    page.evaluate(ANSWER)
    page.keyboard.type(WORDS[9:-5], delay=40)
    expect(page.locator("#press-note")).to_contain_text("The next document follows when you leave the field")
    page.keyboard.type(WORDS[-5:], delay=40)
    expect(page.locator("#comment")).to_have_value(WORDS)
    page.keyboard.press("Escape")
    after = page.locator(".case header .docno")
    expect(after).not_to_have_text(document)
    for key in "1tl2u0fd" * 3:
        page.keyboard.press(key)
        page.wait_for_timeout(90)
    assert AdjudicationEvent.objects.count() == 1
    expect(case).to_be_visible()
    page.keyboard.press("3")
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")
    assert AdjudicationEvent.objects.count() == 2


def test_a_reason_of_a_vote(open_page: OpenPage, make: Factory) -> None:
    """The vote that waited for the network arrives while the reason is typed."""
    make.make_panel(make.make_pooled_campaign())
    page = open_page("alice")
    page.goto("/campaigns/tiny/panels/")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#vote[data-enabled]")).to_be_visible()
    page.wait_for_timeout(500)
    page.context.route("**/outbox/", lambda route: route.abort())
    for _ in range(2):
        page.keyboard.press("a")
        page.wait_for_timeout(600)
    page.get_by_label("Reason").click()
    page.keyboard.type(WORDS[:9])
    page.context.unroute("**/outbox/")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.keyboard.type(WORDS[9:], delay=40)
    expect(page.get_by_label("Reason")).to_have_value(WORDS)
    assert PanelVote.objects.count() == 2
    page.keyboard.press("Escape")
    expect(page.get_by_text("You have voted on all topics")).to_be_visible()
    assert PanelVote.objects.count() == 2

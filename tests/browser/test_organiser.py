"""The organiser's grid: it follows along, rests while nobody looks, and stays where it was scrolled to."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from assess.models import JudgmentEvent
from assess.queries.judging import cards_of
from assess.services.assignments import assign
from assess.services.judging import SubmittedJudgment, record_judgment
from pooling.models import Campaign
from tests.support.campaign_in_judging import lived_in_campaign
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return lived_in_campaign(make, share=0.2)


def look(page: Page, away: bool) -> None:
    """Switch to another tab, or back."""
    page.evaluate(
        """away => {
            Object.defineProperty(document, "hidden", { value: away, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        away,
    )


def test_the_grid_comes_anew_when_somebody_looks_and_rests_when_nobody_does(
    campaign: Campaign, open_page: OpenPage
) -> None:
    page = open_page("carol", viewport={"width": 700, "height": 800})
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request) if "/progress/" in request.url else None)
    page.goto("/campaigns/covid/progress/")
    asked.clear()
    box = page.get_by_role("region", name="Progress by topic and judge")
    box.evaluate("box => box.scrollLeft = 120")
    look(page, away=True)
    page.evaluate("htmx.trigger('#progress', 'seen')")
    page.wait_for_timeout(300)
    assert asked == []
    JudgmentEvent.objects.filter(judge__username="rieder").update(at="2020-01-01T00:00Z")
    with page.expect_response("**/progress/"):
        look(page, away=False)
    expect(box.get_by_role("columnheader", name="T. Rieder")).to_contain_text("days ago")
    assert len(asked) == 1
    assert box.evaluate("box => box.scrollLeft") == 120
    with page.expect_response("**/progress/"):  # the new one listens too
        look(page, away=False)


def test_the_row_of_each_place_is_one_line_and_a_group_opens_by_keyboard(
    campaign: Campaign, open_page: OpenPage
) -> None:
    page = open_page("carol", viewport={"width": 1280, "height": 800})
    page.goto("/campaigns/covid/")
    row = page.get_by_role("navigation", name="Pages of")
    for place in ("Overview", "Collect", "Sources", "Manage", "Results", "Judge"):
        page.locator(".places").get_by_role("link", name=place).click()
        box = row.bounding_box()
        assert box and box["height"] < 45, place
        assert row.evaluate("row => row.scrollWidth <= row.clientWidth"), place
    group = row.locator("summary", has_text="Answers")
    expect(row.get_by_role("link", name="Battles")).to_be_hidden()
    group.press("Enter")
    page.keyboard.press("Tab")
    expect(row.get_by_role("link", name="Battles")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Battles")).to_be_visible()
    assert group.get_attribute("aria-current") == "true"


def test_the_grid_of_five_judges_fits_a_window_of_1280_px(make: Factory, open_page: OpenPage) -> None:
    campaign = make.make_campaign()
    title = "A long title of a topic that says what is searched and why, in full"
    topic, docnos = make.make_topic(campaign, "1", title), [f"D{rank:02}" for rank in range(10)]
    make.make_run(campaign, "\n".join(f"1 {docno} {20 - rank}" for rank, docno in enumerate(docnos)))
    make.make_pool(campaign)
    for name in ("alice", "bob", "eve", "fay", "gus"):
        assign([make.make_user(name)], [topic])
        for docno in docnos:
            (card,) = cards_of([entry := make.entry(campaign, name, "1", docno)])
            label = SubmittedJudgment(uuid.uuid4(), docno, card.text_hash, 3, active_seconds=16)
            record_judgment(entry, label)
    page = open_page("carol", viewport={"width": 1280, "height": 800})
    page.goto("/campaigns/tiny/judging/")
    box = page.get_by_role("region", name="Progress by topic and judge")
    expect(box).to_contain_text("10 rel. 16 s")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_the_budget_answers_as_it_is_typed_and_without_a_reload(
    campaign: Campaign, open_page: OpenPage
) -> None:
    page = open_page("carol")
    page.goto("/campaigns/covid/progress/")
    page.get_by_label("Hours available").fill("1")
    page.get_by_label("Hours available").press("Enter")
    expect(page.locator("#budget")).to_contain_text("Judge these topics first, in this order")
    assert page.url.endswith("/campaigns/covid/progress/")
    expect(page.get_by_label("Hours available")).to_have_value("1")


@pytest.mark.smoke
def test_sharing_out_by_the_form(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("carol")
    page.goto("/campaigns/covid/judging/")
    for name in ("I. Duarte", "M. Sato"):
        page.locator("#assign").get_by_label(name).check()
    page.locator("#assign").get_by_label("Topics", exact=True).fill("12")
    page.locator("#assign").get_by_label("Distribute evenly").check()
    page.get_by_label("Second judges per topic").fill("1")
    page.get_by_role("button", name="Assign").click()
    expect(page.get_by_text("2 new assignments.")).to_be_visible()


def test_a_slow_draft_does_not_put_earlier_values_back_into_the_form(
    make: Factory, open_page: OpenPage
) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "1 D1 3\n1 D2 2\n1 D3 1")
    page, waiting = open_page("carol"), list[Route]()
    page.route("**/pool/draft/**", lambda route: waiting.append(route))
    page.goto("/campaigns/tiny/pool/")
    depth = page.get_by_label("Depth k", exact=True)
    depth.fill("1")
    page.wait_for_timeout(600)
    depth.fill("2")
    waiting.pop().continue_()
    page.wait_for_timeout(600)
    expect(depth).to_have_value("2")
    waiting.pop().continue_()
    expect(page.get_by_role("button", name="Freeze pool of 2 documents")).to_be_visible()
    expect(depth).to_have_value("2")


def test_a_preset_changes_the_scale_and_from_which_grade_on_a_document_is_relevant(
    make: Factory, open_page: OpenPage
) -> None:
    make.let_create_campaigns("carol")
    page = open_page("carol")
    page.goto("/new-campaign/")
    for preset, grades, threshold in (("binary", 2, "1"), ("four", 4, "2")):
        page.get_by_role("link", name=preset, exact=True).click()
        expect(page.locator("[name=scale-value]")).to_have_count(grades)
        expect(page.get_by_label("Relevant from grade")).to_have_value(threshold)

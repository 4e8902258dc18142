"""Side by side in the browser: one key is one vote; and the comparison that leads there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import Panel, PanelVote
from assess.services.assignments import assign
from pooling.models import Campaign, Document
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


@pytest.fixture
def panel(make: Factory) -> Panel:
    return make.make_panel(make.make_pooled_campaign())


def begin(open_page: OpenPage) -> Page:
    page = open_page("alice")
    page.goto("/campaigns/tiny/panels/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    return page


def enabled(page: Page) -> None:
    """Wait until the page takes a vote."""
    expect(page.locator("#vote[data-enabled]")).to_be_visible()


@pytest.mark.smoke
def test_keys_vote_and_go_on(panel: Panel, open_page: OpenPage) -> None:
    page = begin(open_page)
    expect(page.get_by_role("heading", name="first things")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="second things")).to_be_visible()
    enabled(page)
    page.keyboard.press("e")
    expect(page.get_by_text("You have voted on all topics")).to_be_visible()
    votes = list(PanelVote.objects.order_by("pk"))
    assert [vote.source for vote in votes] == ["key", "key"]
    assert votes[0].choice not in (votes[0].shown_left, "equal") and votes[1].choice == "equal"


def test_no_key_votes_before_the_lists_were_seen_or_while_one_writes(
    panel: Panel, open_page: OpenPage
) -> None:
    page = open_page("alice")
    key = "new KeyboardEvent('keydown', {key: 'a', code: 'KeyA', bubbles: true})"
    page.add_init_script(f"addEventListener('DOMContentLoaded', () => document.body.dispatchEvent({key}))")
    page.goto(f"/campaigns/tiny/panels/{panel.pk}/topics/1/")
    page.wait_for_timeout(700)
    assert not PanelVote.objects.exists()
    page.get_by_label("Reason").fill("")
    page.get_by_label("Reason").press_sequentially("a better beginning")
    page.keyboard.press("Escape")
    assert not PanelVote.objects.exists()
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="second things")).to_be_visible()
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")
    vote = PanelVote.objects.get()
    assert (vote.choice, vote.reason) == (vote.shown_left, "a better beginning")


def test_a_double_click_is_one_vote(panel: Panel, open_page: OpenPage) -> None:
    page = begin(open_page)
    page.get_by_role("button", name="Equal").dblclick()
    expect(page.get_by_role("heading", name="second things")).to_be_visible()
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")
    assert PanelVote.objects.count() == 1


def test_a_vote_without_a_network_is_kept_and_sent_later(panel: Panel, open_page: OpenPage) -> None:
    page = begin(open_page)
    page.wait_for_load_state("networkidle")  # the next pair is there
    page.context.set_offline(True)
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="second things")).to_be_visible()
    expect(page.locator("#alert")).to_contain_text("1 vote is stored in this browser")
    assert not PanelVote.objects.exists()
    page.context.set_offline(False)
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")
    assert PanelVote.objects.get().topic.number == "1"


def test_a_text_opens_in_its_list(panel: Panel, open_page: OpenPage) -> None:
    page = begin(open_page)
    first = page.locator(".result-list li").first
    first.locator("summary").click()
    expect(first.locator(".full-text")).to_contain_text("The text of P")


def test_the_leaderboard_leads_to_plots_of_the_ticked_runs(make: Factory, open_page: OpenPage) -> None:
    campaign: Campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D2 2\n1 D1 1\n2 D1 1", tag="other")
    for topic, docno, grade in (("1", "D1", 3), ("1", "D2", 0), ("2", "D1", 2)):
        make.make_judgment(campaign, "alice", topic, docno, grade)
    make.make_release(campaign)
    page = open_page("carol")
    page.goto("/campaigns/tiny/scores/1/?measures=AP")
    for tag in ("run", "other"):
        page.get_by_role("checkbox", name=f"Compare {tag}", exact=True).check()
    page.get_by_role("button", name="Compare selected runs").click()
    for name in ("differences", "scatter"):
        plot = page.locator(f"#{name}")
        data = plot.locator("[data-values]").evaluate("it => JSON.parse(it.dataset.values)")
        expect(plot.locator(".plot svg").get_by_text(data["x"], exact=True)).to_be_visible()
        expect(plot.locator(".plot svg").get_by_text(data["y"], exact=True)).to_be_visible()
    expect(page.locator("#other-tests")).to_contain_text("Sign test")
    page.goto("/campaigns/tiny/scores/1/significance/?measures=AP")
    expect(page.locator("#randomised-groups")).to_contain_text("10,000")


def shown_list(page: Page) -> str:
    """Return the name of the list on a phone's screen, which is the only one there."""
    (name,) = page.get_by_role("tab", selected=True).all_text_contents()
    sections = page.locator("#judgment-card .columns > section")
    assert [section.is_visible() for section in sections.all()] == [name.strip() == f"List {x}" for x in "AB"]
    return name.strip()


def test_on_a_phone_two_tabs_show_one_list_each_at_its_place(make: Factory, open_page: OpenPage) -> None:
    campaign = make.make_pooled_campaign()
    panel = make.make_panel(campaign)
    Document.objects.filter(campaign=campaign).update(text="many words " * 2000)
    page = open_page("alice", viewport={"width": 360, "height": 640})
    page.goto(f"/campaigns/tiny/panels/{panel.pk}/topics/1/")
    enabled(page)
    assert shown_list(page) == "List A"
    page.locator("#left summary").first.click()
    expect(page.locator("#left .full-text").first).to_contain_text("words")
    page.evaluate("scrollTo(0, 400)")
    tab_of_b = page.get_by_role("tab", name="List B")
    tab_of_b.click()
    assert shown_list(page) == "List B"
    heading = page.locator("#right h3").first.bounding_box()
    tabs = page.get_by_role("tablist").bounding_box()
    assert heading and tabs and tabs["y"] >= 0 and heading["y"] >= tabs["y"] + tabs["height"]
    page.get_by_role("tab", name="List A").click()
    assert shown_list(page) == "List A" and page.evaluate("scrollY") == 400
    page.keyboard.press("ArrowRight")  # of the tabs, and no vote
    assert shown_list(page) == "List B" and not PanelVote.objects.exists()
    expect(tab_of_b).to_be_focused()
    expect(page.get_by_role("button", name="Equal")).to_be_in_viewport(ratio=1)
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="second things")).to_be_visible()
    assert shown_list(page) == "List A" and page.evaluate("scrollY") == 0


def test_on_a_phone_no_button_of_a_list_of_work_or_files_is_cut(make: Factory, open_page: OpenPage) -> None:
    campaign = make.make_pooled_campaign()
    make.make_panel(campaign)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    other = make.make_campaign("other")
    topic = make.make_topic(other)
    make.make_run(other, "1 D1 2\n1 D2 1")
    make.make_pool(other)
    assign([make.make_user("alice")], [topic])
    for name, path, link in (
        ("alice", "/", "Continue"),
        ("alice", "/campaigns/tiny/panels/", "Begin"),
        ("carol", "/campaigns/tiny/qrels/", "TREC qrels"),
        ("carol", "/campaigns/tiny/qrels/1/", "tiny-qrels-v1.txt"),
    ):
        page = open_page(name, viewport={"width": 360, "height": 640})
        page.goto(path)
        control = page.locator("main td a, main tbody th a").filter(has_text=link).first
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 332, (path, box)  # the padding is seen
        assert page.locator(".scroll").first.evaluate("it => it.scrollLeft") == 0

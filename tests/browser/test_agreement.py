"""The agreement page follows judging, and asks for no more than it must."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect

from assess.services.assignments import assign
from pooling.models import Campaign
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
SOON = 16_000  # milliseconds: after the next look for news
PATIENCE = 30  # seconds


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Two topics of three documents in two runs, judged by alice and bob, who differ on C of topic 1."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, number) for number in "12"]
    make.make_run(campaign, "1 A 3\n1 B 2\n1 C 1\n2 A 3\n2 B 2\n2 C 1", tag="sloop")
    make.make_run(campaign, "1 C 3\n1 B 2\n1 A 1\n2 C 3\n2 B 2\n2 A 1", tag="wheel")
    make.make_pool(campaign)
    assign([make.make_user("alice"), make.make_user("bob")], topics)
    for topic in "12":
        for docno, alice, bob in (("A", 3, 3), ("B", 0, 0), ("C", 0, 2)):
            make.make_judgment(campaign, "alice", topic, docno, alice)
            if (topic, docno) != ("2", "C"):
                make.make_judgment(campaign, "bob", topic, docno, bob)
    return campaign


@pytest.mark.smoke
def test_the_page_follows_a_label_and_is_quiet_without_one(
    open_page: OpenPage, campaign: Campaign, make: Factory
) -> None:
    page, asked = open_page("rita"), list[tuple[int, str]]()

    def listen(response: Response) -> None:
        _, _, place = response.url.partition("/agreement/")
        if place:
            asked.append((response.status, place.split("/")[0]))

    page.clock.install()
    page.goto("/campaigns/tiny/agreement/")
    page.on("response", listen)
    expect(page.locator("#agreement-confusion header p").first).to_contain_text("5 common documents")
    with page.expect_response("**/agreement/news/**"):
        page.clock.fast_forward(SOON)
    assert asked == [(204, "news")]
    make.make_judgment(campaign, "bob", "2", "C", 3)
    page.clock.fast_forward(SOON)
    expect(page.locator("#agreement-confusion header p").first).to_contain_text("6 common documents")
    expect(page.locator("#agreement-overall .key-figures")).to_contain_text("6 in 2 topics")
    wanted = {"news", "overall", "matrix", "pairs", "confusion", "topics", "judges", "drift"}
    until = time.monotonic() + PATIENCE
    while (parts := {part for status, part in asked if status == 200}) != wanted and time.monotonic() < until:
        page.wait_for_timeout(50)  # each part comes by itself
    assert parts == wanted
    expect(page.locator("#agreement-topics [data-plot] svg")).to_be_visible()
    asked.clear()
    with page.expect_response("**/agreement/news/**"):
        page.clock.fast_forward(SOON)
    assert asked == [(204, "news")]


def test_a_cell_leads_to_its_documents_and_back(open_page: OpenPage, campaign: Campaign) -> None:
    page = open_page("ada")
    page.goto("/campaigns/tiny/agreement/")
    page.get_by_role("link", name="1 document: alice 0, bob 2").click()
    page.get_by_role("link", name="C", exact=True).click()
    labels = page.get_by_role("region", name="Labels")
    expect(labels).to_contain_text("alice")
    expect(labels).to_contain_text("bob")
    page.go_back()
    page.locator(".head").get_by_role("link", name="Agreement").click()
    expect(page).to_have_url(re.compile("#agreement-confusion$"))


def test_more_draws_and_the_judges_as_runs_come_by_themselves(
    open_page: OpenPage, campaign: Campaign
) -> None:
    page = open_page("rita")
    page.goto("/campaigns/tiny/agreement/")
    page.get_by_role("button", name="Effect on rankings").click()
    expect(page.get_by_role("region", name="Judges scored as runs").get_by_role("row")).to_have_count(1 + 2)
    page.get_by_role("link", name="Compute 100,000 draws").click()
    expect(page.get_by_role("heading", name="100,000 draws")).to_be_visible()

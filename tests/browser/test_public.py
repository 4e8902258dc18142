"""What strangers see: the public page on a phone and a desk, in both modes, and the API's own page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pooling.models import Campaign
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D2 3\n1 D1 2\n2 D9 1", tag="a-very-long-tag" * 7, group="otherlab")
    for judge, grades in (("alice", (3, 0, 1)), ("bob", (2, 0, 1))):
        for docno, grade in zip(("D1", "D2", "D3"), grades, strict=True):
            make.make_judgment(campaign, judge, "1", docno, grade)
        make.make_judgment(campaign, judge, "2", "D1", 2)
    make.make_release(campaign)
    make.publish(campaign)
    Campaign.objects.update(description="Which papers answer these questions?")
    return campaign


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_public_pages_have_no_fault(
    campaign: Campaign, open_page: OpenPage, mode: str, width: int
) -> None:
    page = open_page("", color_scheme=mode, viewport={"width": width, "height": 800})
    for place in ("/public/", "/public/tiny/"):
        page.goto(place)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.get_by_role("heading", name="Agreement between judges")).to_be_visible()


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_of_downloads_has_no_fault(
    campaign: Campaign, open_page: OpenPage, mode: str, width: int
) -> None:
    page = open_page("rita", color_scheme=mode, viewport={"width": width, "height": 800})
    page.goto("/campaigns/tiny/scores/1/")
    if width < 700:
        page.locator("summary", has_text="Leaderboard").click()
    page.get_by_role("navigation", name="Pages of Results").get_by_role("link", name="Downloads").click()
    expect(page.get_by_role("heading", name="Complete archive")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_archive_is_one_click_away_for_a_stranger(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("")
    page.goto("/public/")
    page.get_by_role("link", name="Tiny").click()
    with page.expect_download() as started:
        page.get_by_role("link", name="tiny-v1.zip").click()
    assert started.value.suggested_filename == "tiny-v1.zip"


def test_the_api_describes_itself_from_this_server_alone(campaign: Campaign, open_page: OpenPage) -> None:
    page, asked = open_page(""), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/api/docs/")
    expect(page.get_by_text("/api/campaigns/{slug}/runs/{tag}/", exact=True)).to_be_visible()
    page.get_by_role("button", name="Submit a run").click()
    expect(page.get_by_text("One with an error is refused whole")).to_be_visible()
    here = page.url.split("/api/")[0]
    assert [url for url in asked if not url.startswith((here, "data:"))] == []

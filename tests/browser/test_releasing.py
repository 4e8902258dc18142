"""Freezing qrels in the browser: the draft follows the controls, and freezing does what it showed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.factory import Factory

pytestmark = pytest.mark.browser


@pytest.mark.smoke
def test_the_draft_follows_the_controls_and_is_what_is_frozen(
    open_page: Callable[..., Page], make: Factory
) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "2", "D1", 1)
    make.make_machine(campaign, "1 0 D2 2\n")
    page = open_page("carol")
    page.goto("/campaigns/tiny/qrels/")
    preview = page.locator("#release-preview")
    expect(preview.get_by_role("button")).to_have_text("Freeze release of 2 judgments")
    page.get_by_label("robot (model-1)").check()
    expect(preview.get_by_role("button")).to_have_text("Freeze release of 3 judgments")
    page.get_by_label("Rule").select_option("one judge")
    expect(preview).to_contain_text("Choose the judge whom this rule follows.")
    expect(preview.get_by_role("button")).to_have_count(0)
    expect(page.locator(".htmx-added")).to_have_count(0)  # so that the new form is listened to
    page.get_by_label("Judge to follow").select_option("alice")
    expect(preview.get_by_role("button")).to_have_text("Freeze release of 1 judgment")
    preview.get_by_role("button").click()
    page.get_by_role("button", name="Freeze release of 1 judgment").click()
    expect(page.get_by_role("status")).to_contain_text("Qrels v1 is frozen with 1 judgment.")
    page.locator("main").get_by_role("link", name="Qrels v1", exact=True).click()
    expect(page.locator("main")).to_contain_text("one judge: alice")
    with page.expect_download() as download:
        page.get_by_role("link", name="tiny-qrels-v1.txt").click()
    assert download.value.path().read_text() == "1 0 D1 3\n"


@pytest.mark.smoke
def test_a_double_click_freezes_one_release(open_page: Callable[..., Page], make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    page = open_page("carol")
    for number, (milliseconds, docno) in enumerate([(15, "D1"), (40, "D2"), (80, "D3")], start=1):
        make.make_judgment(campaign, "alice", "1", docno, 3)
        page.goto("/campaigns/tiny/qrels/")
        page.locator("#release-preview").get_by_role("button").click()
        button = page.get_by_role("button", name=f"Freeze release of {number} judgment")
        button.evaluate(
            "(button, gap) => { button.click(); setTimeout(() => button.click(), gap); }", milliseconds
        )
        expect(page.get_by_role("status")).to_contain_text(f"Qrels v{number} is frozen")
        assert campaign.releases.count() == number

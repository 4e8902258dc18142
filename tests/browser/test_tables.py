"""Tables in the browser: rows are found, sorted and filtered, and times are in the browser's zone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.factory import Factory

pytestmark = pytest.mark.browser


@pytest.mark.smoke
def test_runs_are_found_sorted_and_filtered(open_page: Callable[..., Page], make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D1 2", tag="short", group="harbour")
    make.make_run(
        campaign, "\n".join(f"1 D{place} {-place}" for place in range(12)), tag="long", group="mill"
    )
    page = open_page("carol")
    page.goto("/campaigns/tiny/runs/")
    rows, tags = page.locator("#runs tbody tr:visible"), page.locator("#runs tbody tr:visible th")
    expect(page.locator("#runs output")).to_have_text("3 of 3 rows")
    lines = page.get_by_role("button", name="Lines")
    lines.click()
    expect(tags).to_have_text(["short", "run", "long"])  # 1, 4 and 12 lines: numbers, not texts
    expect(page.get_by_role("columnheader", name="Lines")).to_have_attribute("aria-sort", "ascending")
    lines.click()
    expect(tags).to_have_text(["long", "run", "short"])
    page.locator(".table-filters").get_by_label("Group").select_option(label="harbour")
    expect(rows).to_have_count(1)
    page.locator(".table-filters").get_by_label("Group").select_option(label="all")
    page.get_by_label("Find").fill("mill auto")
    expect(tags).to_have_text(["long"])
    expect(page.locator("#runs output")).to_have_text("1 of 3 rows")

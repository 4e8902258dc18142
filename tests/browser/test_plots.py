"""Plots in the browser: drawn in both modes, told apart by their legend, saved as files, following htmx."""

from __future__ import annotations

import csv
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.services.assignments import assign
from pooling.models import Campaign
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
RUN = "/campaigns/tiny/scores/1/runs/run/"
NAMES = ["precision-recall", "by-topic", "precision-recall-raw", "roc", "ndcg", "gain"]


@pytest.fixture
def scored(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    campaign.collection_size = 20
    campaign.save()
    make.make_run(campaign, "1 D2 2\n1 D1 1\n2 D1 1", tag="other")
    for topic, docno, grade in (("1", "D1", 3), ("1", "D2", 0), ("2", "D1", 2)):
        make.make_judgment(campaign, "alice", topic, docno, grade)
    make.make_release(campaign)
    return campaign


def saved(page: Page, plot: str, form: str) -> bytes:
    with page.expect_download() as download:
        page.locator(f"#{plot}").get_by_role("button", name=f"as {form}").click()
    assert download.value.suggested_filename == f"{plot}.{form.lower()}"
    return download.value.path().read_bytes()


@pytest.mark.parametrize("mode", [pytest.param("light", marks=pytest.mark.smoke), "dark"])
def test_every_plot_is_drawn_with_its_axes_and_can_be_saved(
    scored: Campaign, open_page: Callable[..., Page], mode: str
) -> None:
    page = open_page("carol", color_scheme=mode)
    for name in NAMES:
        page.goto(RUN)  # anew: Chromium stops after some ten downloads of one page
        plot = page.locator(f"#{name}")
        drawn = plot.locator(".plot svg")
        expect(drawn).to_be_visible()
        data = plot.locator("[data-values]").evaluate("it => JSON.parse(it.dataset.values)")
        expect(drawn.get_by_text(data["x"], exact=True)).to_be_visible()
        expect(drawn.get_by_text(data["y"], exact=True)).to_be_visible()
        assert b"<svg" in saved(page, name, "SVG")[:200]
        assert saved(page, name, "PNG").startswith(b"\x89PNG")
        rows = list(csv.reader(saved(page, name, "CSV").decode().splitlines()))
        assert rows[0] == data["columns"]
        assert len(rows) == 1 + len(data["rows"])


def test_a_series_is_put_away_by_its_name_in_the_legend(
    scored: Campaign, open_page: Callable[..., Page]
) -> None:
    page = open_page("carol")
    page.goto(RUN)
    drawn = page.locator("#gain .plot svg")
    expect(drawn).to_be_visible()
    before = drawn.locator("path").count()
    drawn.get_by_text("ideal CG", exact=True).click()
    expect(drawn.locator("path")).not_to_have_count(before)


def test_the_tie_report_comes_after_the_page(scored: Campaign, open_page: Callable[..., Page]) -> None:
    page = open_page("carol")
    page.goto(RUN)
    expect(page.locator("#ties")).to_contain_text("No two documents of a topic have the same score")


def test_the_pools_plot_and_the_comparison_follow_the_controls(
    open_page: Callable[..., Page], make: Factory
) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {30 - rank}" for rank in range(30)))
    page = open_page("carol")
    page.goto("/campaigns/tiny/pool/")
    plot, compared = page.locator("[data-plot=depth]"), page.locator("#pool-strategies tbody tr")
    expect(plot).to_contain_text("k = 10")
    expect(compared.first).to_contain_text("This draft: Depth 10")
    expect(page.get_by_role("heading", name="Overlap")).to_be_visible()
    page.get_by_label("Depth k").fill("15")
    expect(page.get_by_role("button", name="Freeze pool of 15 documents")).to_be_visible()
    expect(plot).to_contain_text("k = 15")
    expect(compared.first).to_contain_text("This draft: Depth 15")
    expect(compared.nth(4)).to_contain_text("budget 15, minimum per run 0")
    page.get_by_label("Strategy").select_option("rrf")
    page.get_by_label("Budget").fill("12")
    expect(page.get_by_role("button", name="Freeze pool of 12 documents")).to_be_visible()
    expect(compared.first).to_contain_text("This draft: Reciprocal rank fusion, budget 12")


def test_saturation_is_drawn_for_the_topic_that_is_chosen(
    open_page: Callable[..., Page], make: Factory
) -> None:
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, number) for number in "12"]
    make.make_run(campaign, "1 A 2\n1 B 1\n2 C 1")
    make.make_pool(campaign)
    assign([make.make_user("alice")], topics)
    for topic, docno in (("1", "A"), ("1", "B"), ("2", "C")):
        make.make_judgment(campaign, "alice", topic, docno, 3)
    page = open_page("carol")
    page.goto("/campaigns/tiny/pool/quality/")
    expect(page.get_by_role("heading", name="Topic 1")).to_be_visible()
    page.get_by_role("combobox", name="Topic").select_option("2")
    expect(page.get_by_role("heading", name="Topic 2")).to_be_visible()
    expect(page.locator("#saturation [data-plot] svg path[stroke]").first).to_be_attached()
    for plot in page.locator("#saturation [data-plot]").all():
        expect(plot).to_contain_text("documents judged")
    expect(page.locator("#saturation-of-topic tbody tr")).to_have_count(2)

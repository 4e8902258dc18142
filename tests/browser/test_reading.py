"""How documents look to those who read them: other scripts, tables, code."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import awake, violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]

ARABIC = "الهاتف 02-00-20 متاح."
ENGLISH = "An English sentence."
DIRECTION = (
    """(element) => [getComputedStyle(element).direction, getComputedStyle(element).textAlign].join(" ")"""
)
TABLE = "Date        High    Low\n2024-03-01  01:10   07:20\n2024-03-02  02:02   08:11"


def test_text_from_right_to_left_is_laid_out_so(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    campaign.topics.filter(number="2").update(title=ARABIC, description=ARABIC)
    make.make_document(campaign, "D1", f"{ARABIC}\n\n{ENGLISH}\n\n" + f"{ARABIC} " * 300, title=ARABIC)
    page = open_page("alice", viewport={"width": 1280, "height": 900})
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    for selector in ("h1", "[data-paragraph='0']", ".snippets p >> nth=0", ".topic h2", ".topic h2 + div"):
        element = page.locator(selector).first
        assert element.evaluate(DIRECTION) == "rtl start", selector
    assert page.locator("[data-paragraph='1']").evaluate(DIRECTION) == "ltr start"
    page.keyboard.press("c")
    page.locator("#comment").fill(ARABIC)
    assert page.locator("#comment").evaluate(DIRECTION) == "rtl start"


def test_the_cells_of_an_arabic_page_run_from_right_to_left(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    html = f"<html><body><p>{ENGLISH}</p><table><tr><td>{ARABIC}</td><td>1</td></tr></table></body></html>"
    make.make_document(campaign, "D1", html)
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    cell = page.locator(".webpage td").first
    assert cell.evaluate("(cell) => getComputedStyle(cell).unicodeBidi") == "plaintext"
    assert cell.evaluate("(cell) => getComputedStyle(cell).textAlign") == "start"


@pytest.mark.parametrize("width", [360, 1280])
def test_a_plain_table_keeps_its_columns(open_page: OpenPage, make: Factory, width: int) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", f"Tides.\n\n{TABLE}  {'x' * 90}\n\n    indented()")
    page = open_page("alice", viewport={"width": width, "height": 800})
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    table = page.locator("[data-paragraph='1']")
    assert table.inner_text() == f"{TABLE}  {'x' * 90}"
    assert "mono" in table.evaluate("(table) => getComputedStyle(table).fontFamily")
    assert page.locator("[data-paragraph='2']").inner_text() == "    indented()"
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert violations(page) == []


def test_the_words_of_the_topic_are_marked_in_the_title(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "The second one.", title="Things of a second kind")
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    expect(page.locator("h1")).to_have_text("Things of a second kind")
    expect(page.locator("dd.chips")).to_contain_text("second 2")
    for number, word in enumerate(("Things", "second", "second"), start=1):
        page.keyboard.press("n")
        expect(page.locator("mark.current")).to_have_text(word)
        expect(page.locator("#hit-count")).to_have_text(f"{number} of 3")

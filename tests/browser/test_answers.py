"""An answer and what it cites: beside it, or as a sheet on a telephone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.assess.answers.files import Answers
from tests.browser.conftest import violations
from tests.support.factory import Factory

OpenPage = Callable[..., Page]
LONG = "Nothing to see here.\n\n" * 40
ANSWER: Answers = {
    "1": [
        ("# Ships\n\nSome sentences stand before.", []),
        *[(f"Sentence {n} fills the page with words.", []) for n in range(30)],
        ("# Sails\n\nA sloop has one mast.", ["D1", "D2"]),
    ]
}


@pytest.fixture
def address(make: Factory) -> str:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_document(campaign, "D1", f"{LONG}A sloop has one mast and one sail.\n\n{LONG}", "Of sails")
    run = make.make_answer_run(campaign, ANSWER)
    return f"/campaigns/tiny/answer-runs/{run.pk}/topics/1/"


@pytest.mark.parametrize("width", [360, 1280])
def test_a_citation_opens_its_document_and_escape_closes_it(
    open_page: OpenPage, address: str, width: int
) -> None:
    page = open_page("carol")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    mark, passage = page.get_by_label("Citation 1: D1"), page.locator("#cited-passage")
    mark.click()
    expect(passage.get_by_role("heading", name="1 Of sails")).to_be_focused()
    expect(passage.locator(".passage")).to_have_text("A sloop has one mast and one sail.")
    expect(passage.locator(".passage")).to_be_in_viewport()
    expect(mark).to_be_in_viewport()  # also where the passage lies over the page
    expect(mark).to_have_attribute("aria-current", "true")
    sheet, sentence = passage.bounding_box(), page.locator(".sentence.current").bounding_box()
    assert sheet and sentence and (width > 360 or sentence["y"] + sentence["height"] <= sheet["y"])
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(mark).to_be_focused()
    expect(mark).not_to_have_attribute("aria-current", "true")
    expect(page.locator(".passage")).to_have_count(0)
    page.get_by_label("Citation 2: D2, no text").click()
    expect(passage).to_contain_text("No text was loaded for this document.")
    passage.get_by_role("button", name="Close").click()
    expect(page.get_by_label("Citation 2: D2, no text")).to_be_focused()


def test_the_page_of_a_citation_shows_the_same(open_page: OpenPage, address: str) -> None:
    page = open_page("carol")
    page.goto(f"{address}?sentence=32&citation=1#sentence-32")
    expect(page.locator("#cited-passage .passage")).to_have_text("A sloop has one mast and one sail.")
    expect(page.get_by_label("Citation 1: D1")).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name="Sails").click()
    expect(page.locator("#heading-2")).to_be_in_viewport()

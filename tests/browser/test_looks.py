"""Every screen: accessible by axe-core in both modes, and no page scrolls sideways on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from assess.services import release_qrels
from pooling.models import Campaign
from tests.browser.conftest import violations
from tests.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]

HOME = "/campaigns/tiny/"
SCREENS = {
    "carol": [
        "/", "/tokens/", "/campaigns/new/", HOME, *(HOME + place for place in (
            "settings/", "people/", "topics/", "topics/1/", "runs/", "runs/run/", "pool/", "documents/",
            "pool/quality/", "judging/", "agreement/", "qrels/", "scores/1/", "scores/1/runs/run/",
        )),
    ],
    "alice": ["/", HOME + "judge/", HOME + "judge/topics/1/", HOME + "topics/"],
    "dave": ["/", HOME, HOME + "runs/", HOME + "scores/1/"],
    "rita": ["/", HOME, HOME + "agreement/", HOME + "scores/1/runs/run/"],
    "mallory": ["/", HOME],
    "": ["/sign-in/", "/invitations/nothing/"],
}  # fmt: skip


@pytest.fixture
def lived_in(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_topic(campaign, "3", "a title " + "that goes on and on " * 8)
    make.make_run(
        campaign, "3 D9 1\n1 D8 1", tag="a-very-long-tag" * 7
    )  # leaves the next pool something to draft
    make.make_document(campaign, "D1", "Words. " * 300, title="A title")
    for judge in ("alice", "bob"):
        make.make_judgment(campaign, judge, "1", "D1", 2)
        make.make_judgment(campaign, judge, "1", "D2", 0)
    release_qrels(campaign, make.make_user("carol"))
    return campaign


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_screen_has_a_fault(lived_in: Campaign, open_page: OpenPage, mode: str, width: int) -> None:
    faults = []
    for name, screens in SCREENS.items():
        page = open_page(name, color_scheme=mode, viewport={"width": width, "height": 800})
        for screen in screens:
            page.goto(screen)
            faults += [
                f"{screen} ({name}): {found['id']} {found['nodes'][0]['html'][:120]}"
                for found in violations(page)
            ]
            if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
                faults.append(f"{screen} ({name}): {wide} px wide")
    assert faults == []


@pytest.mark.parametrize(
    "screen",
    [
        "topics/",
        "runs/",
        "pool/",
        "pool/quality/",
        "documents/",
        "judging/",
        "agreement/",
        "qrels/",
        "scores/",
    ],
)
def test_an_empty_screen_says_what_to_do_next(open_page: OpenPage, make: Factory, screen: str) -> None:
    make.make_campaign()
    page = open_page("carol")
    page.goto(HOME + screen)
    assert violations(page) == []
    assert page.locator("main :is(.empty, form, .quiet) >> visible=true").count()

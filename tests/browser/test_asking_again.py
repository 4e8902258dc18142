"""An adjudicator writes a remark in a real browser: digits in it settle nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import Adjudication, Judgment, QueueEntry
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 0)
    return campaign


def test_a_remark_is_typed_beside_the_case_and_sent_back(campaign: Campaign, open_page: OpenPage) -> None:
    page = open_page("ada")
    page.goto("/campaigns/tiny/adjudication/")
    page.get_by_role("button", name="Take first document").click()
    page.get_by_role("button", name="Ask judge A again").click()
    page.keyboard.type("0 1 2 3: read it again.", delay=10)
    expect(page.get_by_label("Remark to judge A")).to_have_value("0 1 2 3: read it again.")
    assert not Adjudication.objects.exists()
    page.get_by_role("button", name="Send back").click()
    expect(page.get_by_text("The judge gets D1 again, with your remark.")).to_be_visible()
    assert Judgment.objects.count() == 1 and not Adjudication.objects.exists()
    assert QueueEntry.objects.exclude(remark="").get().remark == "0 1 2 3: read it again."

"""A topic that two judges share, in the browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db.models import Count
from playwright.sync_api import Page, expect

from assess.models import Judgment, QueueEntry
from assess.services.assignments import assign
from tests.browser.conftest import awake, saved, shown
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
PAGE = "/campaigns/tiny/judge/topics/1/"


def share(make: Factory, documents: int) -> None:
    """Let alice and bob share a topic."""
    campaign = make.make_campaign()
    topic = make.make_topic(campaign, "1")
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {99 - rank}" for rank in range(documents)))
    make.make_pool(campaign, depth=documents)
    assign([make.make_user("alice"), make.make_user("bob")], [topic], "shared")


def test_a_judge_of_a_shared_topic_gets_documents_without_a_press(open_page: OpenPage, make: Factory) -> None:
    share(make, 6)
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/")
    page.get_by_role("button", name="Begin topic 1").click()
    for count in range(1, 7):
        awake(page)
        page.keyboard.press("01"[count % 2])  # the same key at once would be a double press
        if count < 6:
            saved(page, count)
    expect(page.get_by_role("heading", name="Topic 1 is finished")).to_be_visible()
    expect(page.get_by_text("You judged 6 documents of “one”, and other judges 0.")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="My topics")).to_be_visible()  # the start page is not in between
    assert Judgment.objects.count() == 6


@pytest.mark.smoke
def test_two_judges_of_a_shared_topic_never_see_the_same_document(open_page: OpenPage, make: Factory) -> None:
    share(make, 20)
    alice = open_page("alice")
    alice.goto(PAGE)
    awake(alice)
    bob = open_page("bob")
    bob.goto(PAGE)
    awake(bob)
    assert shown(bob) != shown(alice)
    takers = QueueEntry.objects.values("pooled").annotate(judges=Count("judge"))
    assert not takers.filter(judges__gt=1).exists()


def test_a_shared_topic_works_without_javascript(open_page: OpenPage, make: Factory) -> None:
    share(make, 6)
    page = open_page("alice", java_script_enabled=False)
    page.goto(PAGE)
    assert not QueueEntry.objects.exists()
    page.get_by_role("button", name="Begin").click()
    for _ in range(6):
        page.get_by_role("button", name="Complete").click()
    expect(page.get_by_role("heading", name="Topic 1 is finished")).to_be_visible()
    assert Judgment.objects.count() == 6

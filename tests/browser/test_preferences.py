"""Preferences in the browser: a topic in two stages, keys, undo over the end of a stage, tabs of a phone."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import Preference, PreferencePair, PreferenceSet
from assess.preferences.queries.plan import PlannedPreferences
from assess.preferences.queries.votes import open_pairs
from assess.preferences.services import SubmittedPreference, create_preferences, record_preference
from assess.services.assignments import assign
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
COUNT = 10  # relevant documents: 35 pairs in the first stage


@pytest.fixture
def preferences(make: Factory) -> PreferenceSet:
    """Preferences of alice over ten documents of topic 1; the smaller number is better."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "boats that float")
    docnos = [f"D{number:02}" for number in range(1, COUNT + 1)]
    make.make_run(campaign, "\n".join(f"1 {docno} {99 - place}" for place, docno in enumerate(docnos)))
    make.make_pool(campaign, depth=COUNT)
    assign([make.make_user("alice")], list(campaign.topics.all()))
    for docno in docnos:
        make.make_document(campaign, docno, f"This is {docno}, on boats.\n\n" * 40, f"On {docno}")
    for docno in docnos:
        make.make_judgment(campaign, "alice", "1", docno, 2)
    release = make.make_release(campaign)
    plan = PlannedPreferences(
        release, [make.make_user("alice")], list(campaign.topics.all()), 3, 0, 7, "What helps."
    )
    return create_preferences(campaign, make.make_user("carol"), plan)


def begin(open_page: OpenPage) -> Page:
    page = open_page("alice")
    page.goto("/campaigns/tiny/preferences/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    return page


def enabled(page: Page) -> None:
    """Wait until the page takes a vote."""
    expect(page.locator("#vote[data-enabled]")).to_be_visible()


def sent(page: Page) -> None:
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")


def on_screen(page: Page) -> PreferencePair:
    """Return the pair on screen, after looking that both documents are on their sides."""
    key = int(page.locator("#judgment-card").get_attribute("data-entry") or 0)
    pair = PreferencePair.objects.select_related("left", "right").get(pk=key)
    for side, pooled in (("left", pair.left), ("right", pair.right)):
        text = page.locator(f".ballot-side.{side} .ballot-text")
        expect(text).to_contain_text(f"This is {pooled.docno},")
    return pair


def vote(page: Page) -> PreferencePair:
    """Prefer the smaller number, by a key that cannot be the second press of a double press any more."""
    pair = on_screen(page)
    enabled(page)
    page.wait_for_timeout(600)
    page.keyboard.press("ArrowLeft" if pair.left.docno < pair.right.docno else "ArrowRight")
    expect(page.locator(f"#judgment-card[data-entry='{pair.pk}']")).to_have_count(0)
    return pair


def test_a_topic_is_judged_through_its_stages(preferences: PreferenceSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    assert violations(page) == []
    with page.expect_response("**/preferences/outbox/"):
        voted = [vote(page).pk]
    sent(page)  # and with the answer come the next pairs
    page.context.set_offline(True)
    voted.append(vote(page).pk)
    page.context.set_offline(False)
    sent(page)
    while page.locator("#judgment-card").count():
        voted.append(vote(page).pk)
        page.wait_for_load_state("networkidle")  # perhaps the first pairs of the next stage
    expect(page.get_by_text("You have finished")).to_be_visible()
    task = preferences.tasks.get()
    assert task.finished_at and task.stage == 2
    stored = list(Preference.objects.values_list("pair", flat=True))
    assert sorted(stored) == sorted(voted) == sorted(task.pairs.values_list("pk", flat=True))
    for preference in Preference.objects.select_related("pair__left", "pair__right"):
        left, right = preference.pair.left.docno, preference.pair.right.docno
        assert preference.choice == ("left" if left < right else "right")


def test_undo_returns_to_the_last_pair_of_a_stage(preferences: PreferenceSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    first = vote(page)
    sent(page)
    page.keyboard.press("u")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_be_visible()
    sent(page)
    assert [each.choice for each in first.preferences.all()][1:] == [""]
    enabled(page)
    page.wait_for_timeout(600)
    page.keyboard.press("t")
    expect(page.locator(f"#judgment-card[data-entry='{first.pk}']")).to_have_count(0)
    sent(page)
    assert first.preferences.latest("pk").choice == "tie"


def test_on_a_phone_both_documents_are_opened_first(preferences: PreferenceSet, open_page: OpenPage) -> None:
    page = open_page("alice")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/campaigns/tiny/preferences/")
    page.get_by_role("button", name="Begin").click()
    tie = page.get_by_role("button", name="Tie")
    expect(tie).to_be_disabled()
    page.locator("label", has_text="B not opened yet").click()
    expect(page.locator(".ballot-side.right .ballot-text")).to_be_visible()
    expect(tie).to_be_enabled()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_undo_over_the_end_of_a_stage_brings_the_pairs_of_the_new_stage(
    preferences: PreferenceSet, open_page: OpenPage
) -> None:
    task = preferences.tasks.get()
    *others, last = open_pairs(task).select_related("left", "right", "task__judge", "task__preference_set")
    for pair in others:
        choice = "left" if pair.left.docno < pair.right.docno else "right"
        record_preference(pair, task.judge, SubmittedPreference(uuid.uuid4(), choice))
    page = open_page("alice")
    page.goto("/campaigns/tiny/preferences/")
    page.get_by_role("button", name="Continue").click()
    assert vote(page) == last
    sent(page)
    page.wait_for_load_state("networkidle")
    assert on_screen(page).stage == 2
    page.keyboard.press("u")
    expect(page.locator(f"#judgment-card[data-entry='{last.pk}']")).to_be_visible()
    sent(page)
    assert not task.pairs.filter(stage=2).exists()
    assert vote(page) == last
    sent(page)
    page.wait_for_load_state("networkidle")
    for _ in range(4):
        assert vote(page).stage == 2
    sent(page)
    expect(page.locator("#alert")).to_be_hidden()
    assert Preference.objects.filter(pair__stage=2).count() == 4

"""Battles in the browser: a sitting of two judges, keys, sources beside their answer, tabs of a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import Battle, BattleSet, BattleVote
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
TOPICS = [str(number) for number in range(1, 7)]
TAGS = ("zebra-one", "zebra-two", "zebra-three")


def sentence_of(tag: str, topic: str) -> str:
    return f"Answer {tag.removeprefix('zebra-')} to {topic} speaks of ships that float."


@pytest.fixture
def battles(make: Factory) -> BattleSet:
    campaign = make.make_campaign()
    runs = []
    for number in TOPICS:
        make.make_topic(campaign, number, f"question {number}")
    make.make_document(campaign, "D1", "Ships float because they are light.\n\n" * 30, "On ships")
    for tag in TAGS:
        answers = {
            topic: [
                (sentence_of(tag, topic), ["D1"]),
                *[(f"Sentence {n} fills the answer.", []) for n in range(60)],
            ]
            for topic in TOPICS
        }
        runs.append(make.make_answer_run(campaign, answers, tag, "zebra-group"))
    return make.make_battles(campaign, ("alice", "bob"), runs=runs, per_topic=2, double=25, repeated=20)


def begin(open_page: OpenPage, judge: str = "alice") -> Page:
    page = open_page(judge)
    page.goto("/campaigns/tiny/battles/")
    page.get_by_role("button", name="Begin").click()
    enabled(page)
    return page


def enabled(page: Page) -> None:
    """Wait until the page takes a vote."""
    expect(page.locator("#vote[data-enabled]")).to_be_visible()


def press(page: Page, key: str) -> None:
    """Press a key when it cannot be the second press of a double press any more."""
    enabled(page)
    page.wait_for_timeout(600)
    page.keyboard.press(key)


def sent(page: Page) -> None:
    """Wait until all votes are stored."""
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")


def on_screen(page: Page) -> int:
    """Return the key of the battle on screen, after looking that both answers are on their sides."""
    key = int(page.locator("#judgment-card").get_attribute("data-entry") or 0)
    battle = Battle.objects.select_related("topic", "left__run", "right__run").get(pk=key)
    for side, answer in (("left", battle.left), ("right", battle.right)):
        shown = page.locator(f".ballot-side.{side} .sentence").first
        expect(shown).to_contain_text(sentence_of(answer.run.tag, battle.topic.number))
    return key


def wants(battle: int) -> tuple[str, str]:
    """Return the key that prefers the first run by name, and the choice that it stands for."""
    left, right = Battle.objects.values_list("left__run__tag", "right__run__tag").get(pk=battle)
    return ("ArrowLeft", "left") if left < right else ("ArrowRight", "right")


def test_a_sitting_of_two_judges_loses_doubles_and_swaps_nothing(
    battles: BattleSet, open_page: OpenPage
) -> None:
    pages = {judge: begin(open_page, judge) for judge in ("alice", "bob")}
    expected: dict[int, str] = {}

    def vote(page: Page) -> None:
        key, choice = wants(battle := on_screen(page))
        press(page, key)
        expected[battle] = choice
        expect(page.locator("#judgment-card")).not_to_have_attribute("data-entry", f"{battle}")

    for page in pages.values():
        with page.expect_response("**/battles/outbox/"):
            vote(page)
        sent(page)  # and with the answer come the next battles
        page.context.set_offline(True)
        vote(page)
        vote(page)
        expect(page.locator("#alert")).to_contain_text("2 votes are stored in this browser")
        assert not BattleVote.objects.filter(battle__in=list(expected)[-2:]).exists()
        page.context.set_offline(False)
        sent(page)
        page.reload()
        enabled(page)
        assert on_screen(page) not in expected
    for page in pages.values():
        while page.locator("#judgment-card").count():
            key, choice = wants(battle := on_screen(page))
            press(page, key)
            expected[battle] = choice
            expect(page.locator(f"#judgment-card[data-entry='{battle}']")).to_have_count(0)
        expect(page.get_by_text("You have finished")).to_be_visible()
    stored = list(BattleVote.objects.values_list("battle", "choice"))
    assert len(stored) == len(set(stored)) == battles.battles.count()
    assert dict(stored) == expected


def test_keys_scroll_a_text_in_use_and_vote_elsewhere(battles: BattleSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    first = on_screen(page)
    answer = page.locator(".ballot-side.left .ballot-text")
    answer.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(300)
    assert answer.evaluate("it => it.scrollTop") > 0 and on_screen(page) == first
    page.keyboard.press("c")
    page.keyboard.type("axb is no vote")
    page.keyboard.press("Escape")
    assert on_screen(page) == first
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"#judgment-card[data-entry='{first}']")).to_have_count(0)
    sent(page)
    vote = BattleVote.objects.get()
    assert (vote.battle_id, vote.choice, vote.reason, vote.source) == (first, "tie", "axb is no vote", "key")
    expect(page.get_by_label("Reason for your vote")).to_be_hidden()


def test_a_double_click_is_one_vote_and_undo_brings_its_battle_back(
    battles: BattleSet, open_page: OpenPage
) -> None:
    page = begin(open_page)
    first = on_screen(page)
    page.get_by_role("button", name="Both bad").dblclick()
    expect(page.locator(f"#judgment-card[data-entry='{first}']")).to_have_count(0)
    sent(page)
    assert BattleVote.objects.get().choice == "both bad"
    second = on_screen(page)
    page.keyboard.press("u")
    expect(page.locator(f"#judgment-card[data-entry='{first}']")).to_be_visible()
    expect(page.get_by_role("button", name="Both bad")).to_have_attribute("aria-pressed", "true")
    sent(page)
    assert [vote.choice for vote in BattleVote.objects.all()] == ["both bad", ""]
    enabled(page)
    page.keyboard.press("b")
    expect(page.locator(f"#judgment-card[data-entry='{second}']")).to_be_visible()
    sent(page)
    page.reload()
    assert on_screen(page) == second
    enabled(page)
    page.keyboard.press("u")  # of the server, because this page has shown no other battle
    expect(page.locator(f"#judgment-card[data-entry='{first}']")).to_be_visible()
    expect(page.get_by_role("button", name="B is better")).to_have_attribute("aria-pressed", "true")


def test_a_source_opens_at_the_foot_of_its_own_answer(battles: BattleSet, open_page: OpenPage) -> None:
    page = begin(open_page)
    page.keyboard.press("s")
    page.keyboard.press("o")
    right, left = page.locator("#battle-source-right"), page.locator("#battle-source-left")
    expect(right.get_by_role("heading", name="On ships")).to_be_visible()
    expect(left).to_be_hidden()
    expect(right.locator(".ballot-source-text")).to_be_focused()
    expect(page.locator(".ballot-side.right .sentence.current")).to_contain_text("speaks of ships")
    assert violations(page) == []
    page.locator(".ballot-side.left .citation").first.click()
    expect(left).to_be_visible()
    expect(right).to_be_visible()
    page.keyboard.press("Escape")
    expect(left).to_be_hidden()
    expect(page.locator(".ballot-side.left .citation").first).to_be_focused()
    right.get_by_role("link", name="Close").click()
    expect(right).to_be_hidden()
    assert not BattleVote.objects.exists()


def test_on_a_phone_votes_wait_until_both_answers_were_opened(
    battles: BattleSet, open_page: OpenPage
) -> None:
    page = open_page("alice")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/campaigns/tiny/battles/")
    page.get_by_role("button", name="Begin").click()
    first = on_screen(page)
    expect(page.locator("#press-note")).to_have_text("You can vote when you have opened both sides.")
    vote = page.get_by_role("button", name="A is better")
    expect(vote).to_be_disabled()
    page.keyboard.press("a")
    answer = page.locator(".ballot-side.left .ballot-text")
    answer.evaluate("it => it.scrollTo(0, 300)")
    page.locator("label", has_text="B not opened yet").click()
    expect(page.locator(".ballot-side.right .ballot-text")).to_be_visible()
    expect(answer).to_be_hidden()
    page.locator("label", has_text="A opened").click()
    expect(answer).to_be_visible()
    assert answer.evaluate("it => it.scrollTop") == 300
    assert not BattleVote.objects.exists() and on_screen(page) == first
    expect(vote).to_be_enabled()
    vote.click()
    expect(page.locator(f"#judgment-card[data-entry='{first}']")).to_have_count(0)
    sent(page)
    assert BattleVote.objects.get().choice == "left"
    expect(vote).to_be_disabled()

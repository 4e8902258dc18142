"""Long sittings of two judges at once, with a network that breaks and pages that are loaded again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

import jurypool as jp
from assess.kappa.coefficient import Coefficient
from assess.matchings.queries.tasks import standing_labels
from assess.models import Battle, BattleSet, BattleVote, Matching, MatchingTask, NuggetLabel
from assess.nuggets.assignments import Assignment
from metrics.matchings.queries import found_result
from tests.support.factory import Factory

pytestmark = [pytest.mark.browser, pytest.mark.slow]
OpenPage = Callable[..., Page]
JUDGES = ("alice", "bob")
BATTLES = 100
TOPICS, SYSTEMS, NUGGETS = 20, 5, 15
KEYS = {"1": Assignment.SUPPORT, "2": Assignment.PARTIAL, "0": Assignment.NONE}
GUARD = 450  # ms for which a page takes no second press, with something over


def begin(open_page: OpenPage, judge: str, place: str) -> Page:
    page = open_page(judge)
    page.goto(f"/campaigns/tiny/{place}/")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#vote[data-enabled]")).to_be_visible()
    return page


def entry(page: Page) -> int:
    """Return the key of the card on screen; 0 after the last one."""
    cards = page.locator("#judgment-card")
    return int(cards.get_attribute("data-entry") or 0) if cards.count() else 0


def press(page: Page, key: str) -> None:
    expect(page.locator("#vote[data-enabled]")).to_be_visible()
    page.wait_for_timeout(GUARD)
    page.keyboard.press(key)


def disturb(page: Page, number: int) -> None:
    """Cut the network for two presses, for which the page has cards, or load it again."""
    if number % 10 == 3:
        expect(page.locator("#save")).to_have_attribute("data-unsent", "0")  # with the answer come cards
        page.context.set_offline(True)
    elif number % 10 == 5:
        page.context.set_offline(False)
        expect(page.locator("#save")).to_have_attribute("data-unsent", "0")
    elif number % 10 == 9:
        page.reload()
        expect(page.locator("#vote[data-enabled]")).to_be_visible()


def take_turns(sittings: list[Iterator[None]]) -> None:
    """Let every judge press in turn until all have finished."""
    while sittings:
        sittings = [sitting for sitting in sittings if next(sitting, StopIteration) is not StopIteration]


@pytest.fixture
def battles(make: Factory) -> BattleSet:
    campaign, numbers = make.make_campaign(), [str(number) for number in range(1, 11)]
    for number in numbers:
        make.make_topic(campaign, number, f"question {number}")
    runs = [
        make.make_answer_run(
            campaign, {number: [(f"{tag} to {number}.", ["D1"])] for number in numbers}, tag, "group"
        )
        for tag in ("quartz", "topaz", "opal", "onyx")
    ]
    return make.make_battles(campaign, JUDGES, runs=runs, per_topic=8, double=25, repeated=10)


def votes_of(page: Page, expected: dict[int, str]) -> Iterator[None]:
    """Vote for the answer whose run comes first by name, whatever its side."""
    number = 0
    while key := entry(page):
        battle = Battle.objects.select_related("topic", "left__run", "right__run").get(pk=key)
        for side, answer in (("left", battle.left), ("right", battle.right)):
            shown = page.locator(f".ballot-side.{side} .sentence").first
            expect(shown).to_contain_text(f"{answer.run.tag} to {battle.topic.number}.")
        choice = "left" if battle.left.run.tag < battle.right.run.tag else "right"
        press(page, "a" if choice == "left" else "b")
        expected[key] = choice
        expect(page.locator(f"#judgment-card[data-entry='{key}']")).to_have_count(0)
        if (number := number + 1) < BATTLES / 2:  # the last one opens the list, which needs the network
            disturb(page, number)
        yield
    expect(page.get_by_text("You have finished")).to_be_visible()


def test_two_judges_of_a_hundred_battles_lose_double_and_swap_nothing(
    battles: BattleSet, open_page: OpenPage
) -> None:
    assert battles.battles.count() >= BATTLES
    expected: dict[int, str] = {}
    pages = [begin(open_page, judge, "battles") for judge in JUDGES]
    take_turns([votes_of(page, expected) for page in pages])
    stored = list(BattleVote.objects.values_list("battle", "choice"))
    assert len(stored) == len(expected) == battles.battles.count()
    assert dict(stored) == expected


@pytest.fixture
def matching(make: Factory) -> Matching:
    campaign, numbers = make.make_campaign(), [str(number) for number in range(1, TOPICS + 1)]
    for number in numbers:
        make.make_topic(campaign, number, f"question {number}")
    for system in range(SYSTEMS):
        answers = {
            number: [(f"Answer {system} to {number}.", ["D1"]), ("It has a second sentence.", [])]
            for number in numbers
        }
        make.make_answer_run(campaign, answers, f"system-{system}", "group")
    bank = {
        number: [(f"Fact {place} of {number}", "okay" if place % 3 else "vital") for place in range(NUGGETS)]
        for number in numbers
    }
    make.make_bank(campaign, bank)
    return make.make_matching(campaign, JUDGES, double=20)


def labels_of(page: Page, judge: str, expected: dict[tuple[int, str], Assignment]) -> Iterator[None]:
    """Label every nugget of every answer; judges differ in every seventh."""
    number = 0
    while key := entry(page):
        task = MatchingTask.objects.select_related("answer__run", "answer__topic").get(pk=key)
        topic, system = task.answer.topic.number, task.answer.run.tag.removeprefix("system-")
        expect(page.locator(".match-sentences .sentence").first).to_contain_text(
            f"Answer {system} to {topic}."
        )
        text = page.locator("#open-nugget").inner_text()
        place = int(text.split()[1])
        turn = place + int(system) + (judge == "bob" and place % 7 == 0)
        value = "120"[turn % 3]
        press(page, value)
        expected[key, text] = KEYS[value]
        if len([each for each in expected if each[0] == key]) < NUGGETS:
            expect(page.locator("#open-nugget")).not_to_have_text(text)
        else:
            expect(page.locator(f"#judgment-card[data-entry='{key}']")).to_have_count(0)
        if (number := number + 1) < TOPICS * SYSTEMS * NUGGETS / 2:  # as above
            disturb(page, number)
        yield
    expect(page.get_by_text("You have finished")).to_be_visible()


def test_two_judges_of_1_500_nuggets_lose_and_misplace_nothing(
    matching: Matching, open_page: OpenPage, make: Factory
) -> None:
    checksum, expected = matching.bank.sha256, dict[tuple[int, str], Assignment]()
    pages = [(begin(open_page, judge, "matchings"), judge) for judge in JUDGES]
    take_turns([labels_of(page, judge, expected) for page, judge in pages])
    standing = standing_labels(matching.tasks.all()).select_related("nugget")
    assert {(each.task_id, each.nugget.text): each.assignment for each in standing} == expected
    assert NuggetLabel.objects.count() == len(expected) >= TOPICS * SYSTEMS * NUGGETS
    matching.bank.refresh_from_db()
    assert matching.bank.sha256 == checksum
    carol = Client()
    carol.force_login(make.make_user("carol"))
    lines = carol.get("/campaigns/tiny/scores/matchings/1/labels/").content.decode().splitlines()
    names, *rows = (line.split("\t") for line in lines)
    scale = {value: place for place, value in enumerate(KEYS.values())}
    of_judge: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        each = dict(zip(names, row, strict=True))
        item = f"{each['run']} {each['nugget']}".replace(" ", "_")
        given = of_judge.setdefault(each["judge"], {}).setdefault(each["topic"], {})
        given[item] = scale[Assignment(each["assignment"])]
    kappa = jp.agreement(of_judge, "cohen", scale=range(3))
    assert isinstance(kappa, Coefficient)
    assert found_result(matching).agreement.kappa.value == pytest.approx(kappa.value, abs=1e-14)

"""The main job as people do it: one organiser and three judges, each in a window of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Page, expect

from assess.models import Judgment, JudgmentEvent
from tests.support.factory import Factory

pytestmark = pytest.mark.browser

TOPICS = """<top>
<num> Number: 7
<title> boats
<desc> Description:
Boats that sail.
<narr> Narrative:
Rowing is not sailing.
</top>
"""
DOCUMENTS = (
    '{"docno": "D1", "title": "Sloops", "text": "A sloop sails."}\n{"docno": "D2", "text": "A dinghy."}\n'
)
GOOD_RUN = "7 Q0 D1 1 2.0 good\n7 Q0 D2 2 1.0 good\n"
POOR_RUN = "7 Q0 D2 1 2.0 poor\n7 Q0 D1 2 1.0 poor\n"

OpenPage = Callable[..., Page]


def file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


def build_campaign(organiser: Page) -> None:
    """From nothing to a frozen pool with its documents."""
    organiser.get_by_role("button", name="New campaign").click()
    organiser.get_by_label("Name", exact=True).fill("Boats")
    organiser.get_by_role("button", name="Create campaign").click()
    organiser.get_by_label("Topic file").set_input_files([file("boats.topics", TOPICS)])
    organiser.get_by_role("button", name="Preview topics").click()
    organiser.get_by_role("button", name="Add 1 topic").click()
    expect(organiser.get_by_text("1 topic added")).to_be_visible()

    organiser.get_by_role("link", name="Runs", exact=True).click()
    organiser.get_by_label("Run files").set_input_files(
        [file("good.run", GOOD_RUN), file("poor.run", POOR_RUN)]
    )
    organiser.get_by_label("Group").fill("harbour")
    organiser.get_by_role("button", name="Submit runs").click()
    expect(organiser.get_by_text("stored as")).to_have_count(2)
    expect(organiser.locator("#runs")).to_contain_text("poor")  # after it the navigation is a new one, too

    organiser.get_by_role("link", name="Judge", exact=True).click()
    organiser.get_by_label("Depth k").fill("2")
    expect(organiser.locator("#pool-draft")).to_contain_text("2 in 1 topic")
    organiser.get_by_role("button", name="Freeze pool of 2 documents").click()
    expect(organiser.get_by_role("heading", name="Freeze the pool")).to_be_visible()
    organiser.get_by_role("button", name="Freeze pool of 2 documents").click()
    organiser.get_by_role("link", name="load the text of the documents").click()
    organiser.get_by_label("Files", exact=True).set_input_files([file("boats.jsonl", DOCUMENTS)])
    organiser.get_by_role("button", name="Load documents").click()
    expect(organiser.get_by_text("All pooled documents have a text")).to_be_visible()


def bring_in_judges(organiser: Page, names: list[str]) -> None:
    organiser.goto("/campaigns/boats/people/")
    for name in names:
        organiser.get_by_label("Sign-in name").fill(name)
        organiser.get_by_label("Role", exact=True).select_option("judge")
        organiser.get_by_role("button", name="Add person").click()
        expect(organiser.get_by_role("cell", name=name, exact=True).first).to_be_visible()
    organiser.get_by_role("link", name="Judge", exact=True).click()
    organiser.get_by_role("link", name="Assignments").click()
    for name in names:
        organiser.get_by_label(name, exact=True).check()
    organiser.get_by_role("button", name="Assign").click()
    expect(organiser.get_by_text("3 new assignments")).to_be_visible()


def open_for_judges(organiser: Page) -> None:
    organiser.get_by_role("link", name="Overview").first.click()
    organiser.get_by_role("button", name="Open the campaign").click()
    expect(organiser.get_by_role("heading", name="Open the campaign?")).to_be_visible()
    organiser.get_by_role("button", name="Open the campaign").click()
    expect(organiser.get_by_text("The campaign is open now.")).to_be_visible()


def judge_by_key(judge: Page, grades: dict[str, str]) -> None:
    """Label every document of the topic with the grade that its docno has in `grades`."""
    judge.get_by_role("link", name="Boats").click()
    judge.get_by_role("button", name="Begin topic 7").click()
    for _ in grades:
        expect(judge.locator("#judging-screen[data-enabled]")).to_be_visible()
        judge.keyboard.press(grades[judge.locator(".reader .docno").inner_text()])
    expect(judge.get_by_role("heading", name="Topic 7 is finished")).to_be_visible()


@pytest.mark.smoke
def test_from_runs_to_scores_with_three_judges_side_by_side(open_page: OpenPage, make: Factory) -> None:
    for name in ("carol", "alice", "bob", "chen"):
        make.make_user(name)
    make.let_create_campaigns("carol")
    organiser = open_page("carol")
    build_campaign(organiser)
    bring_in_judges(organiser, ["alice", "bob", "chen"])
    open_for_judges(organiser)

    windows = [open_page(name) for name in ("alice", "bob", "chen")]
    for window, grades in zip(windows, [{"D1": "3", "D2": "0"}] * 2 + [{"D1": "3", "D2": "1"}], strict=True):
        judge_by_key(window, grades)
    assert Judgment.objects.count() == JudgmentEvent.objects.count() == 6
    assert set(JudgmentEvent.objects.values_list("source", flat=True)) == {"key"}

    organiser.get_by_role("link", name="Judge", exact=True).click()
    organiser.get_by_role("link", name="Agreement").click()
    table = organiser.get_by_label("Agreement of each pair")
    expect(table.get_by_role("row")).to_have_count(1 + 3)
    # alice and bob agree on both: 1; each agrees with chen on one of two: po 1/2, pe 1/4, kappa 1/3
    expect(organiser.get_by_role("row", name="Light's kappa, mean over pairs")).to_contain_text("0.556")

    organiser.get_by_role("link", name="Results").click()
    for _ in ("the draft", "the page that asks"):
        organiser.get_by_role("button", name="Freeze release of 2 judgments").click()
    with organiser.expect_download() as download:
        organiser.get_by_role("link", name="TREC qrels").click()
    assert download.value.path().read_text() == "7 0 D1 3\n7 0 D2 0\n"

    organiser.get_by_role("link", name="Leaderboard").click()
    board = organiser.get_by_label("Leaderboard")
    best = board.locator("tbody tr").first
    expect(best).to_contain_text("good")
    expect(best).to_contain_text("1.0000")
    with organiser.expect_download() as download:
        organiser.get_by_role("button", name="CSV").click()
    assert download.value.path().read_text().startswith("run,group,kind,nDCG@10")

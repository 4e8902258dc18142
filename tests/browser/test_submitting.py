"""Submitting runs in the browser: each file has its own answer, and the table follows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import FilePayload, Page, expect

from pooling.models import Campaign
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser


def file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


@pytest.mark.smoke
def test_every_file_has_its_own_answer(open_page: Callable[..., Page], make: Factory) -> None:
    make.make_pooled_campaign()
    page = open_page("dave")
    page.goto("/campaigns/tiny/runs/")
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    expect(page.locator(".head")).to_contain_text("No runs have been submitted yet.")
    page.get_by_label("Run files").set_input_files(
        [
            file("good.run", "1 Q0 D7 1 2.0 good\n2 Q0 D7 1 1.0 good\n"),
            file("bad.run", "1 Q0 D7 1 2.0 bad\n1 Q0 D8\n9 Q0 D7 1 1.0 bad\n"),
            file("odd.run", "1 Q0 D7 1 2.0 odd\n1 Q0 D8 2 3.0 odd\n"),
            file("empty.run", ""),
        ]
    )
    page.get_by_role("button", name="Submit runs").click()
    lines = page.locator("#run-report > ul > li")
    expect(lines).to_have_count(4)
    expect(lines.nth(0)).to_contain_text("good.run stored as good, 2 lines")
    expect(lines.nth(1)).to_contain_text("bad.run refused, line 2")
    expect(lines.nth(1).get_by_role("row")).to_have_count(1 + 2)
    expect(lines.nth(2)).to_contain_text("the rank column contradicts the scores on 1 line")
    expect(lines.nth(3)).to_contain_text(
        "empty.run refused: expected at least one line of six fields, found an empty file"
    )
    expect(page.locator("#runs").get_by_role("row")).to_have_count(1 + 2)
    expect(page.locator("#runs")).to_contain_text("the rank column contradicts the scores")
    expect(page.locator(".head")).to_contain_text("2 runs.")
    assert page.get_by_label("Run files").evaluate("(chooser) => chooser.files.length") == 0

    page.get_by_label("Run files").set_input_files([file("better.run", "1 Q0 D8 1 2.0 good\n")])
    page.get_by_role("button", name="Submit runs").click()
    page.get_by_role("button", name="Store under the tag better").click()
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("better.run stored as better, 1 line, 1 topic")
    expect(page.locator(".head")).to_contain_text("3 runs.")


def test_documents_are_sent_with_progress_and_reported(open_page: Callable[..., Page], make: Factory) -> None:
    make.make_pooled_campaign()
    page = open_page("carol")
    page.goto("/campaigns/tiny/documents/")
    expect(page.get_by_text("3 pooled documents without text")).to_be_visible()
    seen = page.evaluate_handle(
        """() => {
          const seen = [], status = document.querySelector("form [role=status]");
          new MutationObserver(() => seen.push(status.textContent)).observe(status, { childList: true });
          return seen;
        }"""
    )
    lines = "".join(f'{{"docno": "D{number}", "text": "{"words " * 40}"}}\n' for number in range(1, 4000))
    page.get_by_label("Files", exact=True).set_input_files(
        [file("good.jsonl", lines), file("bad.jsonl", '{"docno": ')]
    )
    page.get_by_role("button", name="Load documents").click()
    answers = page.locator("#document-report > ul > li")
    expect(answers).to_have_count(2)
    expect(answers.nth(0)).to_contain_text("good.jsonl 3,999 documents read, 3 stored")
    expect(answers.nth(1)).to_contain_text("bad.jsonl refused, line 1")
    expect(page.get_by_text("All pooled documents have a text")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_hidden()
    assert "good.jsonl, 1 of 2: sent, reading …" in seen.json_value()


def test_a_file_that_does_not_arrive_is_told(open_page: Callable[..., Page], make: Factory) -> None:
    make.make_pooled_campaign()
    page = open_page("carol")
    page.goto("/campaigns/tiny/documents/")
    page.route("**/documents/report/", lambda route: route.abort())
    page.get_by_label("Files", exact=True).set_input_files(
        [file("lost.jsonl", '{"docno": "D1", "text": "x"}')]
    )
    page.get_by_role("button", name="Load documents").click()
    expect(page.get_by_text("lost.jsonl did not arrive. Submit it again.")).to_be_visible()
    expect(page.get_by_role("button", name="Load documents")).to_be_enabled()
    assert (
        page.get_by_label("Files", exact=True).evaluate("(chooser) => chooser.files[0].name") == "lost.jsonl"
    )


def test_runs_whose_tags_collide_are_stored_under_the_names_of_their_files_at_once(
    open_page: Callable[..., Page], make: Factory
) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    page = open_page("carol")
    page.goto("/campaigns/tiny/runs/")
    line = "1 Q0 D1 1 1.0 STANDARD\n"
    page.get_by_label("Run files").set_input_files([file(f"{name}.run", line) for name in ("a", "b", "c")])
    page.get_by_role("button", name="Submit runs").click()
    page.get_by_role("button", name="Store 2 runs under the names of their files").click()
    expect(page.locator("#run-report")).to_contain_text("stored as c")
    expect(page.locator("#run-report .alert")).to_have_count(0)
    assert set(campaign.runs.values_list("tag", flat=True)) == {"STANDARD", "b", "c"}


def test_texts_with_labels_are_replaced_by_a_button(open_page: Callable[..., Page], make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "before")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    page = open_page("carol")
    page.goto("/campaigns/tiny/documents/")
    page.get_by_label("Files", exact=True).set_input_files(
        [file("d.jsonl", '{"docno": "D1", "text": "after"}\n')]
    )
    page.get_by_role("button", name="Load documents").click()
    lines = page.locator("#document-report > ul > li")
    expect(lines).to_contain_text("1 stored text would be replaced, and 1 label of people was given for it")
    page.get_by_role("button", name="Replace 1 text").click()
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("1 stored: 0 new, 0 unchanged, 1 replaced")
    assert campaign.documents.get().text == "after"


def test_judgments_are_stored_after_a_preview(open_page: Callable[..., Page], make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    page = open_page("carol")
    page.goto("/campaigns/tiny/judging/sources/")
    page.get_by_label("File", exact=True).set_input_files([file("x.qrels", "1 0 D1 3\n1 0 d2.txt 1\n")])
    page.get_by_label("Name of the judge").fill("NIST")
    page.get_by_role("button", name="Preview judgments").click()
    expect(page.get_by_role("heading", name="Preview of 2 judgments")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Store 1 judgment of pooled documents").click()
    expect(page.get_by_text("1 of documents in no pool was left out.")).to_be_visible()
    assert campaign.pools.count() == 1


@pytest.mark.parametrize(
    ("zone", "own"), [("Europe/Paris", ""), ("Asia/Tokyo", " = 13 Dec 2026 07:59 in your time zone")]
)
def test_a_deadline_is_shown_in_the_readers_time_zone_too(
    open_page: Callable[..., Page], make: Factory, zone: str, own: str
) -> None:
    make.make_pooled_campaign()
    ends = datetime(2026, 12, 12, 22, 59, tzinfo=UTC)
    Campaign.objects.update(time_zone="Europe/Berlin", judging_ends_at=ends)
    page = open_page("alice", timezone_id=zone)
    page.goto("/campaigns/tiny/judge/")
    note = page.locator("#schedule-note")
    expect(note).to_contain_text(f"Judging ends on 12 Dec 2026 23:59 Europe/Berlin, UTC+1{own} (")

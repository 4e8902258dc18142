"""Background work, seen in a browser: progress that moves by itself, a cancel without leaving the page."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from assess.active_learning.services.batches import freeze_batches_of_job
from assess.active_learning.services.reviews import PlannedReviews, begin_reviews, start_batches
from pooling.models import Job
from pooling.services.documents import import_upload
from pooling.services.jobs import run_attempt
from tests.browser.conftest import violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


@pytest.fixture(autouse=True)
def queue(settings: Settings) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    settings.BACKGROUND_BYTES = 100


def send_documents(page: Page) -> None:
    lines = "".join(json.dumps({"docno": f"D{n}", "text": "words"}) + "\n" for n in range(40))
    page.goto("/campaigns/tiny/documents/")
    page.get_by_label("Files", exact=True).set_input_files(
        {"name": "large.jsonl", "mimeType": "text/plain", "buffer": lines.encode()}
    )
    page.get_by_label("Documents to store").select_option("all")
    page.get_by_role("button", name="Load documents").click()


@pytest.mark.smoke
def test_a_large_upload_shows_its_progress_and_its_end_by_itself(open_page: OpenPage, make: Factory) -> None:
    make.make_campaign()
    page = open_page("carol")
    send_documents(page)
    expect(page.get_by_text("large.jsonl is large and is loaded in the background")).to_be_visible()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    assert violations(page) == []
    Job.objects.update(state="running", done=1500, total=3000, message="1,500 documents stored")
    expect(page.get_by_text("1,500 of 3,000")).to_be_visible()
    Job.objects.update(state="waiting", done=0, total=0, message="")
    job = Job.objects.get()
    run_attempt(job.pk, job.task_id, import_upload)
    expect(page.get_by_text("40 documents read, 40 stored")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)


def test_a_cancel_stays_on_the_page(open_page: OpenPage, make: Factory) -> None:
    make.make_campaign()
    page = open_page("carol")
    send_documents(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    assert page.url.endswith("/campaigns/tiny/documents/")
    assert Job.objects.get().state == "cancelled"


def test_reviews_show_what_a_job_has_frozen(open_page: OpenPage, make: Factory) -> None:
    """Without a reload, and without a word of the form that is being filled in."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail and mast")
    make.make_topic(campaign, "2", "flour")
    collection = make.make_collection(campaign, {f"D{row}": f"sail mast number{row}" for row in range(9)})
    people, carol = [make.make_user("alice")], make.make_user("carol")
    topics = list(campaign.topics.filter(number="1"))
    begin_reviews(campaign, carol, PlannedReviews(collection, topics, people, 3, 0, 7))
    start_batches(campaign, carol, campaign.reviews.all())
    page = open_page("carol")
    page.goto("/campaigns/tiny/judging/high-recall/")
    row = page.get_by_role("table", name="Reviews").get_by_role("row").nth(1)
    expect(row.get_by_role("cell").first).to_have_text("0")
    page.get_by_label("Documents of the first batch").fill("55")
    job = Job.objects.get()
    run_attempt(job.pk, job.task_id, freeze_batches_of_job)
    expect(page.get_by_text("1 batch frozen.")).to_be_visible()
    expect(row.get_by_role("cell").first).to_have_text("1")
    expect(page.get_by_label("Documents of the first batch")).to_have_value("55")
    start_batches(campaign, carol, campaign.reviews.all())
    page.goto("/campaigns/tiny/judging/high-recall/topics/1/")
    expect(page.locator("#review-figures")).to_contain_text("Waiting for a label 3", use_inner_text=True)
    expect(page.locator("#review-next input[name=number]")).to_have_value("2")
    job = Job.objects.latest("pk")
    run_attempt(job.pk, job.task_id, freeze_batches_of_job)
    expect(page.locator("#review-next input[name=number]")).to_have_value("3")
    expect(page.locator("#review-figures")).to_contain_text("Waiting for a label 7", use_inner_text=True)


def test_a_leaderboard_loads_itself_anew_once_all_is_scored(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    job = make.make_job(campaign, arguments={"release": 1}, done=1, total=3, state="running")
    page = open_page("rita")
    page.goto("/campaigns/tiny/scores/1/")
    expect(page.get_by_text("Runs are being scored against Qrels v1")).to_be_visible()
    expect(page.get_by_text("1 of 3 runs.")).to_be_visible()
    assert violations(page) == []
    Job.objects.filter(pk=job.pk).update(state="done")
    expect(page.get_by_text("Runs are being scored")).to_have_count(0)
    expect(page.get_by_role("link", name="run", exact=True)).to_be_visible()

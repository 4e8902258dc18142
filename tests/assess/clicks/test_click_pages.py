"""The pages of click logs: load one, look at it, make labels; and nothing of a person is stored."""

from __future__ import annotations

import json
import logging
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from assess.models import ClickLog, Source
from assess.queries.labels import judges_of
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign
from assess.services.releases import release_qrels
from config.archives.campaigns import export_campaign
from pooling.models import Campaign, Job
from pooling.services.jobs import delete_uploads
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/clicks/"
SECRET = "sentinel-person-4711"
DOCUMENTS = 15
ANSWERS = {"name": "Clicks", "model": "coec", "cut": "thresholds", "least_impressions": "20"}


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """One topic of 15 pooled documents; alice graded all but the last, the better the lower the number."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "black bears")
    make.make_run(campaign, "\n".join(f"1 D{number:02} {100 - number}" for number in range(DOCUMENTS)))
    make.make_pool(campaign, depth=DOCUMENTS)
    return campaign


def click_lines(sessions: int = 40) -> str:
    """Shown lists in any order, and one document in no pool; low numbers are clicked more often."""
    source = random.Random(1)
    lines = ["topic,session,user,shown,clicks"]
    for session in range(sessions):
        shown = source.sample(range(DOCUMENTS), DOCUMENTS)
        clicks = [rank for rank, each in enumerate(shown, start=1) if source.random() < 0.9 - each / 15]
        docnos = " ".join([*(f"D{each:02}" for each in shown), "D99"])
        lines.append(
            f"Black Bears,{SECRET}-s{session},{SECRET}-{session % 9},{docnos},{' '.join(map(str, clicks))}"
        )
    lines += [f"{SECRET} asked this,{SECRET},{SECRET},D01,1", f"1,{SECRET},{SECRET},D01,1"]
    return "\n".join(lines)


def posted(content: str = "", **changed: Any) -> dict[str, Any]:
    file = SimpleUploadedFile("clicks.csv", (content or click_lines()).encode())
    return {"file": file, "least_people": "5"} | changed


@pytest.fixture
def carol(make: Factory, campaign: Campaign) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def grade_all(campaign: Campaign, make: Factory) -> None:
    assign([make.make_user("alice")], campaign.topics.all())
    for number in range(DOCUMENTS - 1):
        make.make_judgment(campaign, "alice", "1", f"D{number:02}", 3 - number // 4)


def test_a_log_is_loaded_and_its_page_says_what_was_left_out(campaign: Campaign, carol: Client) -> None:
    shown = markup(carol.post(PAGE, posted(), follow=True))
    log = campaign.click_logs.get()
    assert (log.form, log.counts["used_lists"], log.counts["unmatched_lists"]) == ("csv", 40, 1)
    assert (log.counts["rare_lists"], log.counts["pairs_not_pooled"]) == (1, 1)
    assert log.documents.count() == DOCUMENTS and "Click log 1 is loaded." in shown
    assert "1 query that fewer than 5 people asked" in shown
    assert "in no pool: 1." in shown
    assert "needs at least 10 documents with both" in shown
    rows = carol.get(f"{PAGE}1/csv/").content.decode().splitlines()
    assert rows[0] == "topic,docno,impressions,clicks,coec,sdbn,pbm" and len(rows) == DOCUMENTS + 1
    assert campaign.audit_log.first().verb == "loaded a click log"  # type: ignore[union-attr]


def test_labels_by_thresholds_are_those_of_a_hidden_machine_judge(campaign: Campaign, carol: Client) -> None:
    carol.post(PAGE, posted())
    answers = ANSWERS | {"thresholds": "0.7 1 1.3"}
    shown = markup(carol.post(f"{PAGE}1/", answers, follow=True))
    machine = campaign.sources.programs().get()
    assert "15 labels of Clicks (COEC, 40 sessions) stored." in shown and "none given" in shown
    assert (machine.kind, machine.prompt_sha256, machine.left_out) == (Source.Kind.CLICKS, "", 1)
    assert "grade 1 from 0.7, grade 2 from 1, grade 3 from 1.3" in machine.note
    assert not judges_of(campaign).filter(pk=machine.user.pk).exists()
    assert set(machine.user.judgments.values_list("relevance", flat=True)) == {0, 1, 2, 3}


def test_labels_by_shares_need_grades_of_people_and_follow_them(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    carol.post(PAGE, posted())
    answers = ANSWERS | {"cut": "shares"}
    assert "expected at least 10 documents with grades of people" in markup(carol.post(f"{PAGE}1/", answers))
    grade_all(campaign, make)
    assert carol.post(f"{PAGE}1/", answers).status_code == 302
    labels = campaign.sources.programs().get().user.judgments.exclude(pooled__docno="D14")
    counts = [labels.filter(relevance=grade).count() for grade in range(4)]
    assert counts == [2, 4, 4, 4]  # as alice's
    page = markup(carol.get(f"{PAGE}1/"))
    assert "Cohen's κ" in page.replace("&#x27;", "'") and "needs at least" not in page


def test_a_release_with_labels_from_clicks_says_that_there_is_no_prompt(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    carol.post(PAGE, posted())
    carol.post(f"{PAGE}1/", ANSWERS | {"thresholds": "0.7 1 1.3"})
    release = release_qrels(campaign, make.make_user("carol"), ReleasePlan(machines=("tiny/Clicks",)))
    assert release.manifest["machines"][0]["prompt_sha256"] == ""
    assert ", prompt" not in markup(carol.get("/campaigns/tiny/qrels/1/"))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"thresholds": "1 2"}, "Enter 3 numbers"),
        ({"thresholds": "3 2 1"}, "ascending order"),
        ({"thresholds": "a b c"}, "Enter numbers"),
        ({"thresholds": "1 2 3", "least_impressions": "1000"}, "at least 1,000 impressions, found none"),
    ],
)
def test_bad_thresholds_store_nothing(
    campaign: Campaign, carol: Client, changed: dict[str, Any], expected: str
) -> None:
    carol.post(PAGE, posted())
    assert expected in markup(carol.post(f"{PAGE}1/", ANSWERS | changed))
    assert not campaign.sources.programs().exists()


def test_a_log_of_other_queries_and_a_bad_line_are_refused(campaign: Campaign, carol: Client) -> None:
    other = "topic,session,shown,clicks\nfoxes,s1,D1,1\n"
    assert "queries of no topic: 1" in markup(carol.post(PAGE, posted(other)))
    assert "Line 2: expected 4 fields, found 1" in markup(
        carol.post(PAGE, posted("topic,session,shown,clicks\nx\n"))
    )
    assert not ClickLog.objects.exists()


def ubi_files() -> list[SimpleUploadedFile]:
    queries, events = [], []
    for number in range(30):
        about = {
            "query_id": f"q{number}",
            "client_id": f"{SECRET}-{number}",
            "timestamp": "2026-03-01T09:00:00Z",
        }
        hits = [f"D{each:02}" for each in range(DOCUMENTS)]
        queries.append(about | {"user_query": "bears", "query_response_hit_ids": hits})
        place = {"position": {"ordinal": 2}, "object": {"object_id": "D01"}}
        events.append(about | {"action_name": "click", "user_id": SECRET, "event_attributes": place})
    return [
        SimpleUploadedFile(name, "".join(f"{json.dumps(each)}\n" for each in records).encode())
        for name, records in (("queries.jsonl", queries), ("events.jsonl", events))
    ]


def everything_stored(folder: Path) -> Iterator[str]:
    """Yield all rows of the database and all files as text."""
    for model in apps.get_models():
        yield from (str(row) for row in model._base_manager.values())
    yield from (path.read_bytes().decode(errors="replace") for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("background", [False, True])
def test_no_identity_is_stored_or_logged(
    campaign: Campaign,
    carol: Client,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    background: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    settings.BACKGROUND_BYTES = 100 if background else 1 << 20
    settings.JOB_LEASE = -60
    mapping = SimpleUploadedFile("mapping.tsv", b"bears\t1\n")
    for files in (ubi_files(), [posted()["file"]]):
        answer = carol.post(PAGE, {"file": files, "least_people": "5", "mapping": mapping})
        mapping.seek(0)
        assert answer.status_code == 302
    broken = SimpleUploadedFile("broken.csv", f"{click_lines()}\n{SECRET}".encode())
    carol.post(PAGE, {"file": [broken], "least_people": "5"})
    assert campaign.click_logs.count() == 2
    states = list(Job.objects.order_by("pk").values_list("state", flat=True))
    assert states == (["done", "done", "failed"] if background else [])
    delete_uploads()
    export_campaign(campaign, tmp_path / "export.zip")
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        archive.extractall(tmp_path / "export")
    assert any("used_lists" in text for text in everything_stored(tmp_path))
    assert not [text for text in everything_stored(tmp_path) if SECRET in text]
    assert SECRET not in caplog.text

"""Topic numbers and docnos that a file writes otherwise are matched in one press, at every entrance."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.services import create_token
from assess.models import Judgment, Load
from assess.services.runs import replace_run
from pooling.formats.run_checks import RunRefused
from pooling.models import Campaign, Run
from pooling.queries.integrity import run_faults
from pooling.queries.runs import scored_lines
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

RUN = b"51 Q0 D1 1 2 bm25\n52 Q0 D2 1 1 bm25\n"
QRELS = b"51 0 d1.txt 1\n52 0 D2 0\n"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("051", "052"):
        make.make_topic(campaign, number)
    return campaign


@pytest.fixture
def pooled(campaign: Campaign, make: Factory) -> Campaign:
    make.make_run(campaign, "051 D1 2\n052 D2 1")
    make.make_pool(campaign)
    return campaign


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


@pytest.fixture
def script(campaign: Campaign, make: Factory) -> Client:
    token = create_token(make.make_user("carol"), "script")
    return Client(headers={"Authorization": f"Bearer {token}"})


def check_stored_run(campaign: Campaign) -> None:
    run = campaign.runs.get()
    assert run.topic_numbers == {"51": "051", "52": "052"}
    assert [line.split()[0] for line in b"".join(scored_lines(run)).decode().splitlines()] == ["051", "052"]
    assert "2 topics matched without leading zeros: 51 is 051, 52 is 052" in [w["what"] for w in run.warnings]
    assert not [fault for faults in run_faults(campaign) for fault in faults]
    entry = campaign.audit_log.filter(verb="submitted a run").latest("pk")
    assert entry.details["topic_numbers"] == run.topic_numbers


def test_a_run_is_matched_on_the_page(carol: Client, campaign: Campaign) -> None:
    url = reverse("pooling:run_report", args=[campaign.slug])
    form = {"run_files": SimpleUploadedFile("bm25.run", RUN), "tag_from": "column", "priority": 1}
    page = markup(carol.post(url, form))
    assert "2 topics would be of this campaign without leading zeros: 51 is 051" in page
    assert 'data-field="match_topics"' in page and not Run.objects.exists()
    form |= {"run_files": SimpleUploadedFile("bm25.run", RUN), "match_topics": "yes"}
    carol.post(url, form)
    check_stored_run(campaign)


def test_a_run_is_matched_by_the_api(script: Client, campaign: Campaign) -> None:
    url = f"/api/campaigns/{campaign.slug}/runs/"
    refused = script.post(url, {"file": SimpleUploadedFile("bm25.run", RUN)})
    assert refused.status_code == 422 and "51 is 051" in refused.content.decode()
    answer = script.post(url, {"file": SimpleUploadedFile("bm25.run", RUN), "match_topics": "true"})
    assert answer.status_code == 201
    assert answer.json()["topic_numbers"] == {"51": "051", "52": "052"}
    check_stored_run(campaign)


def test_a_run_is_matched_by_the_command(campaign: Campaign, tmp_path: Path) -> None:
    path, said = tmp_path / "bm25.run", StringIO()
    path.write_bytes(RUN)
    with pytest.raises(CommandError):
        call_command("submit_runs", campaign.slug, str(path), stdout=said, stderr=said)
    assert "--match-topics takes them" in said.getvalue()
    call_command("submit_runs", campaign.slug, str(path), "--match-topics", stdout=said, stderr=said)
    check_stored_run(campaign)


def test_the_newer_file_of_a_matched_run_is_matched_again(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    run = submit_run(campaign, carol, RUN, "bm25.run", Submission(match_topics=True))
    newer = replace_run(run, carol, RUN.replace(b" 2 bm25", b" 3 bm25"), "bm25-2.run")
    assert newer.topic_numbers == run.topic_numbers == {"51": "051", "52": "052"}
    assert list(campaign.runs.active()) == [newer]


def test_a_run_whose_topics_would_become_one_is_not_matched(campaign: Campaign, make: Factory) -> None:
    content = b"51 Q0 D1 1 2 t\n051 Q0 D2 1 1 t\n"
    with pytest.raises(RunRefused, match="topic 51 is not in this campaign. It has 2 topics$"):
        submit_run(campaign, make.make_user("carol"), content, "t.run", Submission(match_topics=True))


def check_labels(campaign: Campaign) -> None:
    labels = Judgment.objects.order_by("pooled__topic__number")
    assert list(labels.values_list("pooled__topic__number", "pooled__docno", "relevance")) == [
        ("051", "D1", 1),
        ("052", "D2", 0),
    ]
    assert Load.objects.get().reading == {"topics": True, "docnos": True}


def test_judgments_are_matched_on_the_pages(carol: Client, pooled: Campaign) -> None:
    url = reverse("assess:judgments_load", args=[pooled.slug])
    upload = SimpleUploadedFile("x.qrels", QRELS)
    asked = markup(carol.post(url, {"file": upload, "judge": "NIST"}))
    assert "Are these the topics of this campaign?" in asked and "51 is 051, 52 is 052" in asked
    content = asked.partition('name="content" value="')[2].partition('"')[0]
    form = {"content": content, "name": "x.qrels", "judge": "NIST", "match_topics": "yes"}
    shown = markup(carol.post(url, form))
    assert "2 topics matched without leading zeros" in shown
    assert "d1.txt is D1" in shown and 'name="match_docnos" value="yes"' in shown
    shown = markup(carol.post(url, form | {"match_docnos": "yes"}))
    assert "1 docno matched without upper case and endings: d1.txt is D1" in shown
    assert "Store 2 judgments" in shown
    carol.post(url, form | {"match_docnos": "yes", "confirmed": "yes"})
    check_labels(pooled)


def test_judgments_are_matched_by_the_api(script: Client, pooled: Campaign) -> None:
    url = f"/api/campaigns/{pooled.slug}/judges/"
    about = {"judge": "NIST", "match_topics": "true"}
    refused = script.post(url, {"file": SimpleUploadedFile("x.qrels", QRELS), "judge": "NIST"})
    assert refused.status_code == 422 and "51 is 051" in refused.content.decode()
    form = about | {"file": SimpleUploadedFile("x.qrels", QRELS), "match_docnos": "true"}
    answer = script.post(url, form)
    assert answer.status_code == 201 and answer.json()["labels"] == 2
    check_labels(pooled)


def test_judgments_are_matched_by_the_command(pooled: Campaign, tmp_path: Path) -> None:
    path, said = tmp_path / "x.qrels", StringIO()
    path.write_bytes(QRELS)
    words = ["load_judgments", pooled.slug, str(path), "--judge", "NIST", "--match-topics"]
    call_command(*words, "--match-docnos", stdout=said)
    assert "1 docno matched without upper case and endings: d1.txt is D1" in said.getvalue()
    check_labels(pooled)


def test_unknown_docnos_are_offered_by_the_command(pooled: Campaign, tmp_path: Path) -> None:
    path, said = tmp_path / "x.qrels", StringIO()
    path.write_bytes(QRELS)
    call_command("load_judgments", pooled.slug, str(path), "--judge", "NIST", "--match-topics", stdout=said)
    assert "1 docno would be of the pool without upper case and endings: d1.txt is D1" in said.getvalue()
    assert Judgment.objects.count() == 1

"""A table whose field names say too little: the fields are asked for, and the answer is kept."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.services import create_token
from assess.services.runs import reorder_run
from pooling.models import Campaign, Run
from pooling.queries.integrity import run_faults
from tests.support.factory import Factory
from tests.support.markup import markup

RUN = b"qid,docno,sim,rsv,about\n1,D1,2.5,7,long text\n1,D2,1.5,8,long text\n"
JUDGED = b"topic,docno,stars,note\n1,D1,3,clear\n1,D2,0,\n"
LOAD = "/campaigns/tiny/judging/load/"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


@pytest.fixture
def script(campaign: Campaign, make: Factory) -> Client:
    token = create_token(make.make_user("carol"), "script")
    return Client(headers={"Authorization": f"Bearer {token}"})


def submitted(client: Client, **more: str) -> str:
    file = SimpleUploadedFile("table.csv", RUN)
    data = {"run_files": file, "group": "g", "priority": "1", "tag_from": "name"} | more
    return unescape(markup(client.post("/campaigns/tiny/runs/", data)))


def test_the_report_of_a_run_offers_the_fields_that_may_hold_the_score(
    campaign: Campaign, carol: Client
) -> None:
    page = submitted(carol)
    assert "expected one field with the score, found sim, rsv" in page
    assert re.findall(r'data-resubmit="([^"]*)"\s+data-field="map"', page) == ["sim=score", "rsv=score"]
    page = submitted(carol, map="sim=score")
    run = campaign.runs.get(tag="table.csv")
    assert run.fields == {"sim": "score"}
    assert "not read: rsv, about" in page
    assert [list(faults) for faults in run_faults(campaign)] == [[]] * campaign.runs.count()


def test_a_run_in_another_order_keeps_its_fields(campaign: Campaign, carol: Client, make: Factory) -> None:
    submitted(carol, map="sim=score")
    newer = reorder_run(campaign.runs.get(tag="table.csv"), make.make_user("carol"), Run.Order.LOWEST)
    assert newer.fields == {"sim": "score"}


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("sim", "expected field=meaning, found 'sim'"),
        ("sim=points", "expected a meaning of a field of run"),
        ("points=score", "expected a field points, found the fields qid, docno, sim, rsv, about"),
    ],
)
def test_a_wrong_choice_is_refused_with_what_is_possible(
    campaign: Campaign, carol: Client, said: str, answer: str
) -> None:
    before = campaign.runs.count()
    assert answer in submitted(carol, map=said)
    assert campaign.runs.count() == before


def test_the_api_takes_the_fields_of_a_run(campaign: Campaign, script: Client) -> None:
    data = {"file": SimpleUploadedFile("table.csv", RUN), "tag": "t"}
    answer = script.post("/api/campaigns/tiny/runs/", data)
    assert answer.status_code == 422
    assert "found sim, rsv; choose with the fields of a table (map): field=meaning" in answer.json()["detail"]
    data = {"file": SimpleUploadedFile("table.csv", RUN), "tag": "t", "map": "rsv=score, sim=unused"}
    answer = script.post("/api/campaigns/tiny/runs/", data)
    assert (answer.status_code, answer.json()["fields"]) == (201, {"rsv": "score", "sim": "unused"})


def test_a_page_asks_for_the_field_of_the_grade_and_the_preview_says_what_was_read(
    campaign: Campaign, carol: Client
) -> None:
    data = {"file": SimpleUploadedFile("stars.csv", JUDGED), "judge": "NIST"}
    page = unescape(markup(carol.post(LOAD, data)))
    assert "Which field holds the grade?" in page
    assert re.findall(r'name="map" value="([^"]*)"', page) == ["stars=grade", "note=grade"]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    page = unescape(markup(carol.post(LOAD, hidden | {"map": "stars=grade"})))
    assert "Preview of 2 judgments" in page
    assert "read as CSV, grade = stars; not read: note" in page
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    carol.post(LOAD, hidden)
    (source,) = campaign.sources.all()
    labels = source.user.judgments.values_list("pooled__docno", "relevance").order_by("pooled__docno")
    assert list(labels) == [("D1", 3), ("D2", 0)]
    details = campaign.audit_log.filter(verb="loaded judgments").get().details
    assert details["fields"] == {"stars": "grade"}


def test_the_api_takes_fields_and_words_of_judgments_and_tells_what_was_read(
    campaign: Campaign, script: Client
) -> None:
    content = b"topic,docno,view\n1,D1,good\n1,D2,bad\n1,D3,\n"
    data = {"judge": "NIST", "file": SimpleUploadedFile("w.csv", content), "map": "view=grade"}
    answer = script.post("/api/campaigns/tiny/judges/", data)
    assert "say which grade a word means: labels in words (words): word=grade" in answer.json()["detail"]
    data |= {"file": SimpleUploadedFile("w.csv", content), "words": "good=3, bad=0"}
    answer = script.post("/api/campaigns/tiny/judges/", data)
    assert answer.json()["labels"] == 2
    assert answer.json()["notes"] == [
        "read as CSV, grade = view", "1 row has no grade and was left out, first line 4"
    ]  # fmt: skip

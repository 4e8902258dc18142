"""The labels of a release for publication: numbers for judges, no comments, no times of day."""

from __future__ import annotations

import csv
import io
import re

from django.test import Client

from accounts.models import User
from assess.models import JudgmentEvent
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import judge_numbers
from assess.services.assignments import assign
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.finished_campaign import refuse

URL = "/campaigns/tiny/qrels/1/labels/"


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D2")
    for judge, topic, docno, grade in (
        ("bob", "1", "D1", 3),
        ("alice", "1", "D1", 0),
        ("alice", "1", "D1", 2),  # the later label counts
        ("alice", "2", "D1", 1),
    ):
        make.make_judgment(campaign, judge, topic, docno, grade)
    refuse(make, campaign, "alice", "1", "D2")
    JudgmentEvent.objects.update(comment="a private note")
    make.make_release(campaign, "internal")
    make.make_judgment(campaign, "bob", "2", "D1", 3)  # after the release
    return campaign


def test_the_file_has_every_current_label_of_the_release(campaign: Campaign, make: Factory) -> None:
    response = signed_in(make, "carol").get(URL)
    assert response["Content-Disposition"] == 'attachment; filename="tiny-labels-v1.csv"'
    text = b"".join(response).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    event = JudgmentEvent.objects.filter(relevance=None).get()
    assert [(row["topic"], row["docno"], row["judge"], row["grade"], row["reason"]) for row in rows] == [
        ("1", "D1", "judge 1", "3", ""),
        ("1", "D1", "judge 2", "2", ""),
        ("1", "D2", "judge 2", "", event.reason),
        ("2", "D1", "judge 2", "1", ""),
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"]) for row in rows)
    for hidden in ("alice", "bob", "a private note", ":"):
        assert hidden not in text
    assert judge_numbers(CampaignReads(campaign)) == {"bob": "judge 1", "alice": "judge 2"}


def test_a_judge_who_was_renamed_since_keeps_the_number(campaign: Campaign, make: Factory) -> None:
    User.objects.filter(username="alice").update(username="alison")
    text = b"".join(signed_in(make, "carol").get(URL)).decode()
    assert "judge 2" in text and "alison" not in text


def test_only_organisers_get_it_and_not_while_they_judge(campaign: Campaign, make: Factory) -> None:
    assert signed_in(make, "ada").get(URL).status_code == 403
    carol = make.make_user("carol")
    add_member(campaign, carol, Role.JUDGE)
    assign([carol], campaign.topics.all())
    assert signed_in(make, "carol").get(URL).status_code == 403
